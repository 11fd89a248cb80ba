/**
 * What waits, as far as this process knows: the models that tasks are queued for, and the permits that those
 * which are being taken right now will need. A task that is submitted meanwhile may have the other permits, so
 * it neither overtakes the queue nor waits behind tasks that have their permits already.
 */
import type { Context } from "../host/context.ts"

export interface Backlog {
  /** Whether tasks of the model may be waiting; so it is of every model before the queue was looked at. */
  has(model: string): boolean
  note(models: readonly string[], isWaiting: boolean): void
  /** Up to `count` tasks of `models` are being taken; 0 once they are. */
  expect(models: readonly string[], count: number): void
  /** One of them has its permit. */
  arrive(): void
  /** Whether a permit for `model` would leave enough for those that are being taken. */
  leavesOne(model: string): boolean
}

export function createBacklog(
  { routing }: Pick<Context, "routing">,
  models: readonly string[],
): Backlog {
  const waiting = new Set(models)
  let taken: { readonly models: readonly string[]; count: number } = { models: [], count: 0 }
  return {
    has: (model) => waiting.has(model),
    note(some, isWaiting) {
      for (const model of some) {
        if (isWaiting) waiting.add(model)
        else waiting.delete(model)
      }
    },
    expect: (some, count) => void (taken = { models: some, count }),
    arrive() {
      taken.count = Math.max(0, taken.count - 1)
    },
    leavesOne: (model) =>
      taken.count === 0 ||
      !taken.models.includes(model) ||
      taken.models.every((each) => routing.countFree(each) > taken.count),
  }
}
