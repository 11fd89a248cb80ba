/**
 * The official client. Every setting that it would read from the environment or from the user's files is
 * given here, as an option of ours or a fixed value. It looks for credentials itself if none are given.
 */
import { S3Client } from "@aws-sdk/client-s3"
import { defaultProvider } from "@aws-sdk/credential-provider-node"
import { guardAnswers } from "./guard-answers.ts"
import { limitProvider } from "./limit-provider.ts"
import { renewCredentials } from "./renew-credentials.ts"
import type { S3Settings } from "./s3-options.ts"

export function createClient(settings: S3Settings): Pick<S3Client, "send"> {
  const { endpoint, idleTimeoutMs, isPathStyle, region } = settings
  // Whenever the client's own provider is asked, it reads the user's files again.
  const given = settings.credentials ?? defaultProvider({ ignoreCache: true })
  const credentials = typeof given === "function" ? limitProvider(given, idleTimeoutMs) : given
  // With the client's own bound of 50, slow readers would keep every other request waiting.
  const agent = { keepAlive: true, maxSockets: Infinity }
  const client = new S3Client({
    region,
    endpoint,
    forcePathStyle: isPathStyle,
    credentials,
    // Requests are tried again by `createRequests`: the client's own tries share one budget, with which most of 64
    // puts would give up at the first outage, and wait by a clock that no test can control.
    maxAttempts: 1,
    retryMode: "standard",
    // Other vendors' buckets refuse checksums in trailers. The body is still signed by its SHA-256.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Otherwise every part would need another connection.
    expectContinueHeader: false,
    followRegionRedirects: false,
    disableS3ExpressSessionAuth: true,
    disableMultiregionAccessPoints: true,
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: ["aws.auth#sigv4"],
    defaultsMode: "standard",
    userAgentAppId: () => Promise.resolve(undefined),
    // Judges the inactivity of the socket, not the duration of a request: a large part may take long.
    requestHandler: {
      connectionTimeout: idleTimeoutMs,
      socketTimeout: idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  guardAnswers(client)
  if (typeof credentials === "function") renewCredentials(client)
  return client
}
