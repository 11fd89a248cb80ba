/**
 * Identifiers and salts from injected randomness. Task ids are UUIDv7 (RFC 9562 §5.7): they sort
 * by creation, so a log by id is a log by time. Within a millisecond a counter keeps the order.
 */
import { randomFillSync } from "node:crypto"

/** Fills the array with bytes that nobody can guess, and returns it. */
export type Randomness = (into: Uint8Array) => Uint8Array

export interface Identifiers {
  /** A new UUIDv7 of the moment `now` (ms). */
  createTaskId(now: number): string
  /** 16 random bytes as hexadecimal digits. */
  createSalt(): string
  /** 16 random bytes as base64url, 22 characters: every task stores some. */
  readonly createEventSalt: () => string
}

/** Randomness is drawn in bulk: a call to the system for each id would cost more than the id. */
const POOL_BYTES = 8 * 1024
const SALT_BYTES = 16
const TAIL_BYTES = 8

export const systemRandomness: Randomness = (into) => randomFillSync(into)

export function createIdentifiers(randomness: Randomness): Identifiers {
  const pool = Buffer.alloc(POOL_BYTES)
  let used = POOL_BYTES
  let lastAt = 0
  let counter = 0

  function take(bytes: number, encoding: "base64url" | "hex"): string {
    if (used + bytes > POOL_BYTES) {
      randomness(pool)
      used = 0
    }
    used += bytes
    return pool.toString(encoding, used - bytes, used)
  }

  return {
    createSalt: () => take(SALT_BYTES, "hex"),
    createEventSalt: () => take(SALT_BYTES, "base64url"),
    createTaskId(now) {
      counter = now > lastAt ? 0 : counter + 1
      // 4,096 ids a millisecond; past that the id runs ahead of the clock, as RFC 9562 §6.2 allows.
      lastAt = Math.max(lastAt, now) + (counter > 0xfff ? 1 : 0)
      counter &= 0xfff
      const time = lastAt.toString(16).padStart(12, "0")
      const order = counter.toString(16).padStart(3, "0")
      const tail = take(TAIL_BYTES, "hex")
      const variant = "89ab".charAt(Number.parseInt(tail.charAt(0), 16) & 3)
      return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
    },
  }
}
