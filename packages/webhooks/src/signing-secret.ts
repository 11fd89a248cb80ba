/**
 * Signs messages by Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, a signature for each secret that
 * is valid. https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac, randomBytes } from "node:crypto"
import type { WebhookSecret } from "@safelight/core"

const PREFIX = "whsec_"
/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32

export function createSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`
}

export interface MessageToSign {
  readonly id: string
  /** Milliseconds of the Unix epoch. */
  readonly at: number
  readonly body: string
}

/** The headers of one try; names in lower case. */
export function signMessage(
  { id, at, body }: MessageToSign,
  secrets: readonly WebhookSecret[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000))
  const valid = secrets.filter(({ expiresAt }) => expiresAt === 0 || expiresAt > at)
  const signatures = valid.map(({ secret }) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64")
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
    return `v1,${digest}`
  })
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  }
}
