/**
 * The official client. Every setting that it would read from the environment or from the user's files is
 * given here, as an option of ours or a fixed value. It looks for credentials itself if none are given.
 */
import { S3Client } from "@aws-sdk/client-s3"
import { guardAnswers } from "./guard-answers.ts"
import { createRetries, type Pause } from "./retries.ts"
import type { S3Settings } from "./s3-options.ts"

/** The part of the client that is used. */
export type BucketClient = Pick<S3Client, "config" | "send">

export function createClient(settings: S3Settings, pause: Pause): BucketClient {
  const { credentials, endpoint, idleTimeoutMs, isPathStyle, region, tries } = settings
  // The client's own bound of 50 would let slow readers keep every other request waiting.
  const agent = { keepAlive: true, maxSockets: Infinity }
  const client = new S3Client({
    region,
    endpoint,
    forcePathStyle: isPathStyle,
    ...(credentials && { credentials }),
    maxAttempts: tries,
    retryMode: "standard",
    retryStrategy: createRetries(settings, pause),
    // Buckets of other vendors refuse checksums by trailers; the SHA-256 that signs a body stays.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Another connection for every part, otherwise.
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
    // By inactivity of the socket, not by the length of a request: a large part may take its time.
    requestHandler: {
      connectionTimeout: idleTimeoutMs,
      socketTimeout: idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  guardAnswers(client)
  return client
}
