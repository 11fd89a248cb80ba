/**
 * What the tasks of one session may cost in all. Before a task is bought, the most that it can cost is reserved,
 * in the same turn of the event loop in which the rest of the limit is read: parallel calls can't pass it
 * together. A reservation ends with what the task was charged, or with the proof that nothing was bought.
 */
import { ApiError } from "@safelight/client"

export interface Spending {
  /** Micro-units; undefined if there is no limit. */
  readonly limitMicros: number | undefined
  /** What is neither charged nor reserved; undefined if there is no limit. */
  leftMicros(): number | undefined
  /**
   * Reserves for a purchase, by its key: a repeated call reserves nothing more, unless nothing is known to be bought
   * and it could cost more. Throws an `ApiError`, `max_cost_exceeded`, if the rest of the limit is too small.
   */
  reserve(key: string, micros: number): Reservation
  /** The task that a call of this key has bought, though it does not know of it. */
  found(key: string, task: string): void
  /** What a task was charged in the end. A task that this session did not buy changes nothing. */
  settle(task: string, chargeMicros: number): void
}

export interface Reservation {
  /** The task that was bought. */
  bought(task: string): void
  /** Nothing was bought by this call. What other calls of the same key may have bought stays reserved. */
  release(): void
}

interface Purchase {
  micros: number
  isBought: boolean
  /** Calls of its key that have bought it, or may have. */
  calls: number
}

export function createSpending(limitMicros?: number): Spending {
  const byKey = new Map<string, Purchase>()
  const byTask = new Map<string, Purchase>()
  let inAll = 0

  function change(purchase: Purchase, micros: number): void {
    inAll += micros - purchase.micros
    purchase.micros = micros
  }

  function reserve(purchase: Purchase, micros: number): void {
    if (purchase.isBought || micros <= purchase.micros) return
    const left = (limitMicros ?? Infinity) - inAll + purchase.micros
    if (micros > left) throw refuse(micros, left, limitMicros)
    change(purchase, micros)
  }

  function found(purchase: Purchase, task: string): void {
    purchase.isBought = true
    byTask.set(task, purchase)
  }

  return {
    limitMicros,
    leftMicros: () => (limitMicros === undefined ? undefined : Math.max(0, limitMicros - inAll)),
    reserve(key, micros) {
      const purchase = byKey.get(key) ?? { micros: 0, isBought: false, calls: 0 }
      reserve(purchase, micros)
      purchase.calls += 1
      byKey.set(key, purchase)
      return {
        bought: (task) => found(purchase, task),
        release() {
          purchase.calls -= 1
          if (purchase.calls > 0) return
          change(purchase, 0)
          byKey.delete(key)
        },
      }
    },
    found(key, task) {
      const purchase = byKey.get(key)
      if (purchase !== undefined) found(purchase, task)
    },
    settle(task, chargeMicros) {
      const purchase = byTask.get(task)
      if (purchase !== undefined) change(purchase, chargeMicros)
    },
  }
}

function refuse(micros: number, left: number, limitMicros: number | undefined): ApiError {
  return new ApiError({
    code: "max_cost_exceeded",
    type: "billing_error",
    message:
      `The task could cost ${micros} micro-units, and ${Math.max(0, left)} of the session's ` +
      `${limitMicros ?? 0} are left. Nothing was bought.`,
  })
}
