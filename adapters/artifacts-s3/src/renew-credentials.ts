/**
 * A middleware around each request: if the bucket says that the credentials have ended, the provider is asked for
 * others, and the request is sent once more. The client itself asks again only 5 minutes before the end that a
 * provider named, by this machine's clock: never if it named none, as for keys in a file.
 */
import type { S3Client } from "@aws-sdk/client-s3"

/** Also of keys that were replaced and removed: the provider may have the new ones. */
const ENDED_CODES: ReadonlySet<unknown> = new Set([
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidAccessKeyId",
  "InvalidToken",
  "InvalidTokenId",
  "TokenRefreshRequired",
])

/** How S3 and others answer a HEAD then: without a document it has no code. */
const ENDED_STATUSES: ReadonlySet<number | undefined> = new Set([400, 403])

interface ClientError {
  readonly name?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Of the client, which keeps the answer. */
type Provider = (options: { readonly forceRefresh: true }) => Promise<unknown>

export function renewCredentials({ config, middlewareStack }: S3Client): void {
  const askProvider = config.credentials as Provider
  let renewals = 0

  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const before = renewals
        try {
          return await next(args)
        } catch (error) {
          if (!hasEnded(error as ClientError, commandName)) throw error
          // Not where it was asked meanwhile. Of many requests that ask at once the client makes one question.
          if (renewals === before) {
            await askProvider({ forceRefresh: true })
            renewals += 1
          }
          return next(args)
        }
      },
    // The first step: the request is then signed anew.
    { step: "initialize", priority: "high", name: "renewCredentials" },
  )
}

function hasEnded({ name, $metadata }: ClientError, commandName: string | undefined): boolean {
  if (ENDED_CODES.has(name)) return true
  return commandName === "HeadObjectCommand" && ENDED_STATUSES.has($metadata?.httpStatusCode)
}
