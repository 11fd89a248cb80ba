/** The form of an idempotency key, from HTTP as from an embedding host (http-decisions §7). */
import type { IdempotencyKey } from "../ports/task-service.ts"

/** 1 to 255 printable ASCII characters, spaces included. */
const KEY = /^[ -~]{1,255}$/
/** SHA-256, lower-case hexadecimal. */
const FINGERPRINT = /^[0-9a-f]{64}$/

export function isIdempotencyKey({ key, fingerprint }: IdempotencyKey): boolean {
  return KEY.test(key) && FINGERPRINT.test(fingerprint)
}
