/**
 * Whether a provider sent a webhook, and sent it now: signatures over the received bytes, compared in
 * constant time. If the scheme signs a timestamp, one that is far in the past or the future is refused.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { CallbackRequest } from "@safelight/core"
import type { KeySet } from "./key-set.ts"
import type { WebhookScheme } from "../declaration/webhook.ts"

export type SignedMessage = Pick<CallbackRequest, "body" | "headers" | "secret" | "signal">

/** What fal and Standard Webhooks recommend, for delivery and clocks. */
const TOLERANCE_MS = 300_000
/** A message has a signature for each key of the account, which are few. */
const MOST_SIGNATURES = 16

export function isStandardWebhook(message: SignedMessage, secret: string, now: number): boolean {
  const { body, headers } = message
  const [id, moment, signatures] = ["id", "timestamp", "signature"].map(
    (part) => headers[`webhook-${part}`] ?? "",
  )
  if (!id || !isRecent(moment, now)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const expected = createHmac("sha256", key)
    .update(`${id}.${moment}.`)
    .update(body)
    .digest("base64")
  const given = (signatures ?? "").split(" ", MOST_SIGNATURES)
  return given.some((each) => isSame(each, `v1,${expected}`))
}

export function isHmacWebhook(
  { body, headers, secret }: SignedMessage,
  { header, prefix }: Extract<WebhookScheme, { kind: "hmac" }>,
): boolean {
  const expected = createHmac("sha256", secret).update(body).digest("hex")
  return isSame(headers[header] ?? "", `${prefix}${expected}`)
}

/** Rejects with `channel-unavailable` if the provider's keys can't be fetched. */
export async function isEd25519Webhook(
  { body, headers, signal }: SignedMessage,
  headerPrefix: string,
  keys: KeySet,
  now: number,
): Promise<boolean> {
  const [id, user, moment, signature] = ["request-id", "user-id", "timestamp", "signature"].map(
    (part) => headers[`${headerPrefix}${part}`] ?? "",
  )
  if (!isRecent(moment, now) || !/^[0-9a-f]{128}$/i.test(signature ?? "")) return false
  const digest = createHash("sha256").update(body).digest("hex")
  const signed = Buffer.from([id, user, moment, digest].join("\n"))
  return keys.verifies(signed, Buffer.from(signature ?? "", "hex"), signal)
}

/** In whole seconds since the Unix epoch. */
function isRecent(moment: string | undefined, now: number): boolean {
  return /^\d{1,12}$/.test(moment ?? "") && Math.abs(now - Number(moment) * 1_000) <= TOLERANCE_MS
}

/** By their digests, since texts of different lengths can't be compared in constant time. */
function isSame(given: string, expected: string): boolean {
  const [one, two] = [given, expected].map((text) => createHash("sha256").update(text).digest())
  return one !== undefined && two !== undefined && timingSafeEqual(one, two)
}
