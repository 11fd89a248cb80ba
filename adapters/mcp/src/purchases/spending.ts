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
   * Reserves for a purchase, by its key: a repeated call reserves nothing more. Throws an `ApiError`,
   * `max_cost_exceeded`, if the rest of the limit is too small.
   */
  reserve(key: string, micros: number): Reservation
  /** What a task was charged in the end. A task that this session did not buy changes nothing. */
  settle(task: string, chargeMicros: number): void
}

export interface Reservation {
  /** The task that was bought. */
  bought(task: string): void
  /** Nothing was bought by this call. What an earlier call of the same key has reserved stays. */
  release(): void
}

interface Purchase {
  micros: number
}

export function createSpending(limitMicros?: number): Spending {
  const byKey = new Map<string, Purchase>()
  const byTask = new Map<string, Purchase>()
  let inAll = 0

  function change(purchase: Purchase, micros: number): void {
    inAll += micros - purchase.micros
    purchase.micros = micros
  }

  function begin(key: string, micros: number): Purchase {
    const left = (limitMicros ?? Infinity) - inAll
    if (micros > left) throw refuse(micros, left, limitMicros)
    const purchase = { micros: 0 }
    change(purchase, micros)
    byKey.set(key, purchase)
    return purchase
  }

  return {
    limitMicros,
    leftMicros: () => (limitMicros === undefined ? undefined : Math.max(0, limitMicros - inAll)),
    reserve(key, micros) {
      const known = byKey.get(key)
      const purchase = known ?? begin(key, micros)
      return {
        bought: (task) => void byTask.set(task, purchase),
        release() {
          if (known !== undefined) return
          change(purchase, 0)
          byKey.delete(key)
        },
      }
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
