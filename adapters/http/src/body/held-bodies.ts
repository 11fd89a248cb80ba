/**
 * The request bodies that are held now. Their bytes are counted by account: one account may hold a quarter of
 * the whole, so that its stalled uploads can't have another's refused; and a part is kept for small bodies, so that
 * large ones never have those refused. While a body arrives its pace counts too, since one that stands still or
 * drips holds memory that others could use, up to the time limit of the whole request. So every `bodyPaceMs`:
 *
 *   nothing arrived since the last check → 408; large and slower than `bodyBytesPerSecond` → 408
 *
 * One timer serves them all: most bodies are complete before a timer of their own could fire.
 */
import { SafelightError } from "@safelight/core"
import type { HttpSettings } from "../pipeline/defaults.ts"
import { Refusal, toRefuse } from "../errors/refusal.ts"

/** The refusals of receiving a body, in addition to those of every request. */
export const RECEIVE_REFUSALS = ["invalid_json", "request_too_large", "overloaded"] as const
export const refuse = toRefuse(RECEIVE_REFUSALS)

/** Of the whole: a quarter is one account's. */
const ACCOUNTS = 4
/** Of the whole: a sixteenth is kept for bodies up to `largeBodyBytes`. */
const SMALL_PARTS = 16

export type HeldBodySettings = Pick<
  HttpSettings,
  "bodiesInFlightBytes" | "bodyBytes" | "bodyBytesPerSecond" | "bodyPaceMs" | "largeBodyBytes"
>

export interface HeldBody {
  /** Counts bytes that have arrived; throws a `Refusal` (413), or `overloaded`. */
  readonly hold: (bytes: number) => void
  /** All of it has arrived: its pace counts no longer. */
  readonly endArrival: () => void
  /** Nothing of it is held any more. Safe to call twice. */
  readonly release: () => void
}

export interface HeldBodies {
  /** `onSlow` is called with a `Refusal` between one and two times `bodyPaceMs` after the body became too slow. */
  begin(account: string, onSlow: (refusal: Refusal) => void): HeldBody
}

interface Arriving {
  bytes: number
  /** How much had arrived at the last check; undefined before the first. */
  seenBytes: number | undefined
  readonly onSlow: (refusal: Refusal) => void
}

export function createHeldBodies(settings: HeldBodySettings): HeldBodies {
  const { bodyBytes, bodiesInFlightBytes, largeBodyBytes } = settings
  // An account that has nothing else in flight may send the largest body, while all leave room for it.
  const shareBytes = Math.max(bodyBytes, Math.floor(bodiesInFlightBytes / ACCOUNTS))
  const forLargeBytes = bodiesInFlightBytes - Math.floor(bodiesInFlightBytes / SMALL_PARTS)
  const byAccount = new Map<string, number>()
  const arriving = createPaceWatch(settings)
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
    begin(account, onSlow) {
      const body: Arriving = { bytes: 0, seenBytes: undefined, onSlow }
      arriving.add(body)
      return {
        hold(bytes) {
          check(account, body.bytes + bytes, bytes)
          body.bytes += bytes
          add(account, bytes)
        },
        endArrival: () => arriving.delete(body),
        release() {
          arriving.delete(body)
          add(account, -body.bytes)
          body.bytes = 0
        },
      }
    },
  }
}

interface PaceWatch {
  add(body: Arriving): void
  delete(body: Arriving): void
}

function createPaceWatch(settings: HeldBodySettings): PaceWatch {
  const { bodyBytesPerSecond, bodyPaceMs, largeBodyBytes } = settings
  const leastBytes = (bodyBytesPerSecond * bodyPaceMs) / 1_000
  const bodies = new Set<Arriving>()
  let timer: ReturnType<typeof setInterval> | undefined

  function look(): void {
    if (bodies.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    for (const body of bodies) {
      const { bytes, onSlow, seenBytes } = body
      body.seenBytes = bytes
      if (seenBytes === undefined) continue
      const came = bytes - seenBytes
      if (came === 0 || (bytes > largeBodyBytes && came < leastBytes)) onSlow(refusePace(settings))
    }
  }

  return {
    add(body) {
      bodies.add(body)
      timer ??= startTimer(look, bodyPaceMs)
    },
    delete: (body) => void bodies.delete(body),
  }
}

/** The connection of a body keeps the process alive; the timer need not. */
function startTimer(look: () => void, everyMs: number): ReturnType<typeof setInterval> {
  const timer = setInterval(look, everyMs)
  // Elsewhere than in Node a timer is a number.
  if (typeof timer === "object") timer.unref()
  return timer
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

function refusePace({ bodyPaceMs, bodyBytesPerSecond }: HeldBodySettings): Refusal {
  return new Refusal("request_timeout", {
    message:
      `The request body came too slowly: nothing for ${bodyPaceMs} ms, or, being large, ` +
      `less than ${bodyBytesPerSecond} bytes a second.`,
    headers: { connection: "close" },
  })
}
