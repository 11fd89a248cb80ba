/** Signatures of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, one for each message. */
import { createHmac, randomUUID } from "node:crypto"

/** The headers for a body that is signed at a moment; `secret` begins with `whsec_`. */
export function signStandardWebhook(
  raw: string,
  at: number,
  secret: string,
): Readonly<Record<string, string>> {
  const id = `msg_${randomUUID()}`
  const timestamp = String(Math.floor(at / 1_000))
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${raw}`).digest("base64")
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  }
}
