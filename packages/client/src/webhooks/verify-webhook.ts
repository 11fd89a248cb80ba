/**
 * Verifies a webhook by Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, sent recently. Pass the
 * body exactly as it was received. JSON that was parsed and serialised again has other bytes.
 */
import { clientError, type ApiError } from "../connection/api-error.ts"
import { parseJson } from "../connection/read-body.ts"

export interface VerifyWebhookOptions {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string | Uint8Array
  /** `whsec_…`; several during a rotation. */
  readonly secret: string | readonly string[]
  /** How old or how far ahead the timestamp may be; five minutes by default. */
  readonly toleranceSeconds?: number | undefined
  /** Unix milliseconds; the machine's by default. */
  readonly now?: number | undefined
}

export interface Webhook {
  /** The same for every delivery of a message: use it to ignore repeated ones. */
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  /** The body, parsed. */
  readonly payload: unknown
}

const TOLERANCE_SECONDS = 300
/** A sender adds one for each secret that is valid during a rotation. */
const MOST_SIGNATURES = 16

/** Rejects with `invalid_webhook`, or with a `TypeError` if a secret is malformed. */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<Webhook> {
  const { body, headers, secret, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = options
  const keys = [secret].flat().map(toKey)
  const id = readHeader(headers, "webhook-id")
  const moment = readHeader(headers, "webhook-timestamp")
  const signatures = readHeader(headers, "webhook-signature").split(" ", MOST_SIGNATURES)
  if (!/^\d{1,12}$/.test(moment)) throw refuse("its timestamp is malformed")
  if (Math.abs(now / 1_000 - Number(moment)) > toleranceSeconds) {
    throw refuse("its timestamp is too old, or a clock is wrong")
  }
  const text = typeof body === "string" ? new TextEncoder().encode(body) : body
  const signed = join(new TextEncoder().encode(`${id}.${moment}.`), text)
  const given = signatures.flatMap((each) => (each.startsWith("v1,") ? [each.slice(3)] : []))
  if (!(await isSigned(signed, keys, given))) throw refuse("no signature matches")
  const payload = parseJson(new TextDecoder().decode(text))
  if (payload === undefined) throw refuse("its body is not JSON")
  return { id, timestamp: Number(moment), payload }
}

function toKey(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ""))
  if (bytes === undefined || bytes.length === 0) throw new TypeError("secret: expected whsec_…")
  return bytes
}

/** Web Crypto compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  secrets: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly string[],
): Promise<boolean> {
  const { subtle } = crypto
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  for (const secret of secrets) {
    const key = await subtle.importKey("raw", secret, algorithm, false, ["verify"])
    for (const signature of signatures) {
      const bytes = fromBase64(signature)
      if (bytes !== undefined && (await subtle.verify("HMAC", key, bytes, signed))) return true
    }
  }
  return false
}

function readHeader(headers: VerifyWebhookOptions["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name)
  if (typeof value === "string" && value !== "") return value
  throw refuse(`its header ${name} is missing or repeated`)
}

/** Names may be in any case. */
function findHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): unknown {
  const found = Object.entries(headers).filter(([each]) => each.toLowerCase() === name)
  const values = found.flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] : undefined
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.replace(/={1,2}$/, "")
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) return undefined
  const letters = atob(digits)
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
}

function join(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function refuse(why: string): ApiError {
  return clientError("invalid_webhook", `the webhook is refused: ${why}`)
}
