/**
 * A middleware around each request: if the bucket says that the credentials have ended, the provider is asked again, and
 * the request is sent once more if it gives others. The client itself asks again only 5 minutes before the end that a
 * provider named, by this machine's clock: never if it named none, as for keys in a file.
 */
import type { S3Client } from "@aws-sdk/client-s3"

/** Of credentials that have ended; also of keys that were replaced and removed: the provider may have the new ones. */
export const ENDED_CODES: ReadonlySet<unknown> = new Set([
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
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
}

/** Of the client, which keeps the answer until it ends. */
type Provider = (options?: { readonly forceRefresh: true }) => Promise<Identity>

export function renewCredentials({ config, middlewareStack }: S3Client): void {
  const askProvider = config.credentials as Provider
  let renewals = 0

  /** Once for all requests that were refused since the last time. */
  async function renew(before: number): Promise<Identity> {
    if (renewals !== before) return askProvider()
    const identity = await askProvider({ forceRefresh: true })
    renewals += 1
    return identity
  }

  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const before = renewals
        const used = await askProvider()
        try {
          return await next(args)
        } catch (error) {
          if (!mayHaveEnded(error as ClientError, commandName, used)) throw error
          if (isSame(await renew(before), used)) throw error
          return next(args)
        }
      },
    // The first step: the request is then signed anew.
    { step: "initialize", priority: "high", name: "renewCredentials" },
  )
}

/** Ceph answers an ended session or a replaced key as it answers what a role may not do. */
function mayHaveEnded(
  { name, $metadata }: ClientError,
  commandName: string | undefined,
  { expiration }: Identity,
): boolean {
  if (ENDED_CODES.has(name)) return true
  if (expiration !== undefined && expiration.getTime() > Date.now()) return false
  if (name === "AccessDenied") return true
  return commandName === "HeadObjectCommand" && ENDED_STATUSES.has($metadata?.httpStatusCode)
}

function isSame(one: Identity, other: Identity): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  )
}
