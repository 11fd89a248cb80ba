/**
 * Which channels an operator has paused. The loop that reads the queue looks it up now and then, so that
 * no task costs a read; until then this process goes by what it saw last, and where it can't look for
 * long it begins nothing new.
 */
import { isSafelightError, type PausedChannel } from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Ports } from "../host/ports.ts"

export interface Pauses {
  /**
   * Looks, unless it did a moment ago. Where the storage fails it goes by what it saw last; rejects
   * only where it has not seen anything yet.
   */
  look(): Promise<void>
}

/** With the pause of a loop that finds nothing to do, a pause is obeyed within a few seconds. */
const LOOK_MS = 2_000

export function createPauses({ clock, log, routing, storage }: Context): Pauses {
  let dueAt = -Infinity
  let known: ReadonlySet<string> | undefined
  let isLost = false

  /** For those who wonder why nothing, or something, is made. */
  function report(paused: ReadonlySet<string>): void {
    for (const { name } of routing.channels) {
      if (paused.has(name) === (known?.has(name) ?? false)) continue
      if (paused.has(name)) log.info({ channel: name }, "channel paused")
      else log.info({ channel: name }, "channel resumed")
    }
  }

  function noteLoss(isLostNow: boolean): void {
    if (isLostNow === isLost) return
    isLost = isLostNow
    if (isLost) log.error({}, "pauses unknown")
    else log.info({}, "pauses known")
  }

  async function find(): Promise<readonly PausedChannel[] | undefined> {
    try {
      return await storage.listPausedChannels()
    } catch (error) {
      if (known === undefined || !isSafelightError(error)) throw error
      log.warn({ error }, "pauses not read")
      return undefined
    }
  }

  return {
    async look() {
      if (clock.monotonicNow() < dueAt) return
      const found = await find()
      noteLoss(found === undefined && !routing.arePausesKnown())
      if (found === undefined) return
      const paused = new Set(found.map(({ channel }) => channel))
      dueAt = clock.monotonicNow() + LOOK_MS
      report(paused)
      known = paused
      routing.pause(paused)
    },
  }
}

/**
 * What was seen of pauses counts for so long, or for some looks where these are rare: a process that can't look
 * for longer begins nothing new.
 */
const PAUSES_KNOWN_MS = 15_000
const PAUSES_KNOWN_LOOKS = 5

/** How long a process goes by what it saw of pauses: one that can't look any more must not buy on. */
export interface PauseKnowledge {
  readonly areKnown: () => boolean
  readonly note: () => void
}

export function createPauseKnowledge({
  clock,
  settings: { idlePollMs },
}: Pick<Ports, "clock" | "settings">): PauseKnowledge {
  const knownMs = Math.max(PAUSES_KNOWN_MS, idlePollMs * PAUSES_KNOWN_LOOKS)
  let knownUntil = -Infinity
  return {
    areKnown: () => clock.monotonicNow() < knownUntil,
    note() {
      knownUntil = clock.monotonicNow() + knownMs
    },
  }
}
