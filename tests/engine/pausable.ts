/**
 * A process that can be stopped and continued, as by SIGSTOP: no wait of its clock ends and no call
 * to its storage begins or is heard of while it stands still, though time goes on and what it had
 * sent is carried out.
 */
import { type ManualClock, type MemoryStorage } from "@safelight/testkit"

export interface Pausable {
  readonly clock: ManualClock
  readonly storage: MemoryStorage
  pause(): void
  resume(): void
  /** Resolves at once, or when the process goes on. */
  standStill(): Promise<void>
}

export function createPausable(clock: ManualClock, storage: MemoryStorage): Pausable {
  let paused: PromiseWithResolvers<void> | undefined

  async function standStill(): Promise<void> {
    if (paused === undefined) return
    await paused.promise
    await standStill()
  }

  function toPausable(value: unknown): unknown {
    if (typeof value !== "function") return value
    return async (...parameters: readonly unknown[]) => {
      await standStill()
      const result: unknown = await Reflect.apply(value, storage, parameters)
      await standStill()
      return result
    }
  }

  const methods = Object.entries(storage).map(([name, value]) => [name, toPausable(value)])
  return {
    clock: {
      ...clock,
      async wait(durationMs, signal) {
        await clock.wait(durationMs, signal)
        await standStill()
      },
    },
    storage: Object.fromEntries(methods) as MemoryStorage,
    pause() {
      paused ??= Promise.withResolvers()
    },
    resume() {
      paused?.resolve()
      paused = undefined
    },
    standStill,
  }
}
