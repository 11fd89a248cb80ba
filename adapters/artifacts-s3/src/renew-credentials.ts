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

/** Of an answer without a document, to a HEAD, that has no code. */
const ENDED_STATUSES: ReadonlySet<number | undefined> = new Set([400, 403])

interface ClientError {
  readonly name?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number }
}

interface Identity {
  readonly expiration?: Date
}

/** Of the client, which keeps the answer until it ends. */
type Provider = (options?: { readonly forceRefresh: true }) => Promise<Identity>

export function renewCredentials({ config, middlewareStack }: S3Client): void {
  const askProvider = config.credentials as Provider
  let renewals = 0

  async function hasEnded(error: ClientError, commandName: string | undefined): Promise<boolean> {
    if (ENDED_CODES.has(error.name)) return true
    return mayMeanAnEnd(error, commandName) && !isGoodForNow(await askProvider())
  }

  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const before = renewals
        try {
          return await next(args)
        } catch (error) {
          if (!(await hasEnded(error as ClientError, commandName))) throw error
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

/** Ceph answers an ended session or a replaced key as it answers what a role may not do. */
function mayMeanAnEnd({ name, $metadata }: ClientError, commandName: string | undefined): boolean {
  if (name === "AccessDenied") return true
  return commandName === "HeadObjectCommand" && ENDED_STATUSES.has($metadata?.httpStatusCode)
}

function isGoodForNow({ expiration }: Identity): boolean {
  return expiration !== undefined && expiration.getTime() > Date.now()
}
