/**
 * Slots that tasks which are being claimed will need: what is submitted meanwhile may have the
 * others. So a submission never queues behind tasks that have their slots already. One look at the
 * queue at a time sets slots aside; nothing is taken from a pool by it.
 */
import type { Routing } from "./routing.ts"

export interface Earmarks {
  /** Sets `wanted` slots aside, which each of `able` may use, until `work` is done. */
  during<Result>(
    able: readonly string[],
    wanted: number,
    work: () => Promise<Result>,
  ): Promise<Result>
  /** One of them is in use. */
  use(): void
  /** Whether a slot for `model` would leave enough. */
  leaveOne(model: string): boolean
}

export function createEarmarks(routing: Pick<Routing, "countFree">): Earmarks {
  let models: readonly string[] = []
  let count = 0
  return {
    async during(able, wanted, work) {
      models = able
      count = wanted
      try {
        return await work()
      } finally {
        count = 0
      }
    },
    use() {
      count = Math.max(0, count - 1)
    },
    leaveOne: (model) =>
      count === 0 ||
      !models.includes(model) ||
      models.every((each) => routing.countFree(each) > count),
  }
}
