/**
 * Which channels an operator has paused. The loop that reads the queue looks it up now and then, so that
 * no task costs a read; until then this process goes by what it saw last.
 */
import type { Context } from "./context.ts"

export interface Pauses {
  /** Looks, unless it did a moment ago. Rejects where the storage fails; nothing is changed then. */
  look(): Promise<void>
}

/** With the pause of a loop that finds nothing to do, a pause is obeyed within a few seconds. */
const LOOK_MS = 2_000

export function createPauses({ clock, log, routing, storage }: Context): Pauses {
  let dueAt = -Infinity
  let known: ReadonlySet<string> = new Set()

  /** For those who wonder why nothing, or something, is made. */
  function report(paused: ReadonlySet<string>): void {
    for (const { name } of routing.channels) {
      if (paused.has(name) === known.has(name)) continue
      log.info({ channel: name }, paused.has(name) ? "a channel is paused" : "a channel is resumed")
    }
  }

  return {
    async look() {
      if (clock.monotonicNow() < dueAt) return
      const found = await storage.listPausedChannels()
      const paused = new Set(found.map(({ channel }) => channel))
      dueAt = clock.monotonicNow() + LOOK_MS
      report(paused)
      known = paused
      routing.pause(paused)
    },
  }
}
