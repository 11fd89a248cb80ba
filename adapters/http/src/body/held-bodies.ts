/**
 * Counts the bytes of the request bodies that are held now, by account. One account may hold a quarter
 * of the whole, so that its stalled uploads get nobody else refused; and a part is kept for small
 * bodies, so that large ones never get those refused.
 */
import { SafelightError } from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import { toRefuse, type Refusal } from "../errors/refusal.ts"

/** The refusals of receiving a body, besides those of every request. */
export const RECEIVE_REFUSALS = ["invalid_json", "request_too_large", "overloaded"] as const
export const refuse = toRefuse(RECEIVE_REFUSALS)

/** Of the whole: a quarter is one account's. */
const ACCOUNTS = 4
/** Of the whole: a sixteenth is kept for bodies up to `largeBodyBytes`. */
const SMALL_PARTS = 16

export type HeldBodySettings = Pick<
  HttpSettings,
  "bodiesInFlightBytes" | "bodyBytes" | "largeBodyBytes"
>

export interface HeldBody {
  /** Counts bytes that have arrived; throws a `Refusal` (413), or `overloaded`. */
  hold(bytes: number): void
  /** A function, since an object with a getter takes ten times as long to make. */
  readonly bytes: () => number
  /** Nothing of it is held any more. */
  release(): void
}

export interface HeldBodies {
  begin(account: string): HeldBody
}

export function createHeldBodies(settings: HeldBodySettings): HeldBodies {
  const { bodyBytes, bodiesInFlightBytes, largeBodyBytes } = settings
  // An account that has nothing else in flight may send the largest body, while all leave room for it.
  const shareBytes = Math.max(bodyBytes, Math.floor(bodiesInFlightBytes / ACCOUNTS))
  const forLargeBytes = bodiesInFlightBytes - Math.floor(bodiesInFlightBytes / SMALL_PARTS)
  const byAccount = new Map<string, number>()
  let inAll = 0

  function add(account: string, bytes: number): void {
    inAll += bytes
    const its = (byAccount.get(account) ?? 0) + bytes
    if (its === 0) byAccount.delete(account)
    else byAccount.set(account, its)
  }

  function check(account: string, body: number, more: number): void {
    if (body > bodyBytes) throw refuseSize(bodyBytes)
    const its = (byAccount.get(account) ?? 0) + more
    if (its > shareBytes) throw refuseLoad("too many bytes of the account's bodies are in flight")
    const limitBytes = body > largeBodyBytes ? forLargeBytes : bodiesInFlightBytes
    if (inAll + more > limitBytes) throw refuseLoad("too many bytes of bodies are in flight")
  }

  return {
    begin(account) {
      let held = 0
      return {
        bytes: () => held,
        hold(bytes) {
          check(account, held + bytes, bytes)
          held += bytes
          add(account, bytes)
        },
        release() {
          add(account, -held)
          held = 0
        },
      }
    },
  }
}

export function refuseSize(limitBytes: number): Refusal {
  return refuse("request_too_large", {
    message: `The request body may hold ${limitBytes} bytes.`,
    headers: { connection: "close" },
  })
}

function refuseLoad(message: string): SafelightError {
  return new SafelightError({ code: "overloaded", message, retryable: true })
}
