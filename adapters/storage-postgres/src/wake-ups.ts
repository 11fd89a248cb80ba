/**
 * Telling other processes that tasks were put into the queue: one notification for all of a moment,
 * sent by itself and never within a commit, where it would make commits wait for each other. One that
 * is lost is made up for by looking at the queue now and then.
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Log } from "@safelight/core"
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import type { Sessions } from "./sessions.ts"
import { toSafelightError } from "./sql-error.ts"

const CHANNEL = "safelight_queued"

const NOTIFY = { sql: `select pg_notify('${CHANNEL}', $1)::text`, parameters: ["node"] }

export interface WakeUps {
  /** Tasks were put into the queue here. */
  readonly noteQueued: () => void
  readonly onQueued: (listener: () => void) => () => void
  readonly close: () => void
}

export function createWakeUps(
  sessions: Sessions,
  open: () => Promise<Connection>,
  log: Log,
): WakeUps {
  const node = randomUUID()
  const closing = new AbortController()
  const over = closing.signal
  const bell = createBell({ node, open, log, over })
  let isDue = false

  async function notify(): Promise<void> {
    await pause(DEFAULTS.wakeMs, over)
    isDue = false
    if (over.aborted) return
    try {
      await sessions.write(NOTIFY, { node })
    } catch (error) {
      log.warn({ error }, "other processes were not told of new tasks")
    }
  }

  return {
    noteQueued() {
      if (isDue) return
      isDue = true
      void notify()
    },
    onQueued: bell.onRing,
    close() {
      closing.abort()
      bell.hangUp()
    },
  }
}

interface BellOptions {
  /** Its own notifications are none. */
  readonly node: string
  readonly open: () => Promise<Connection>
  readonly log: Log
  readonly over: AbortSignal
}

/** Listens as long as somebody here does; an ended connection is made again. */
function createBell({ node, open, log, over }: BellOptions): {
  readonly onRing: (listener: () => void) => () => void
  readonly hangUp: () => void
} {
  const listeners = new Set<() => void>()
  let connection: Connection | undefined
  let isListening = false

  function ring(): void {
    for (const listener of listeners) listener()
  }

  async function listenOnce(): Promise<void> {
    const opened = await open()
    if (over.aborted || listeners.size === 0) {
      opened.destroy()
      return
    }
    connection = opened
    try {
      const ended = new Promise<void>((resolve) => opened.onEnd(resolve))
      opened.onNotification((from) => {
        if (from !== node) ring()
      })
      await opened.execute(`listen ${CHANNEL}`)
      // What was queued while nobody listened.
      ring()
      await ended
    } finally {
      // One that may not listen is open still.
      opened.destroy()
    }
  }

  async function listen(): Promise<void> {
    if (isListening) return
    isListening = true
    while (listeners.size > 0 && !over.aborted) {
      try {
        await listenOnce()
      } catch (error) {
        log.warn({ error: toSafelightError(error) }, "wake-ups of other processes are not heard")
      }
      await pause(DEFAULTS.retryMaxMs, over)
    }
    isListening = false
  }

  return {
    onRing(listener) {
      listeners.add(listener)
      void listen()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) connection?.destroy()
      }
    },
    hangUp: () => connection?.destroy(),
  }
}

/** Ends early where it is over, and keeps no process alive. */
async function pause(durationMs: number, over: AbortSignal): Promise<void> {
  await setTimeout(durationMs, undefined, { signal: over, ref: false }).catch(() => undefined)
}
