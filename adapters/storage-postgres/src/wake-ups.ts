/**
 * Telling other processes that tasks were put into the queue, or that whoever holds one is to look at it:
 * one notification for all of a moment, sent by itself and never within a commit, where it would make
 * commits wait for each other. One that is lost is made up for by looking now and then.
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Log } from "@safelight/core"
import { toStep, type Statement } from "@safelight/store"
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import type { Sessions } from "./sessions.ts"
import { toSafelightError } from "./sql-error.ts"

const CHANNEL = "safelight_queued"

const NOTIFY: Statement<never, { readonly payload: string }> = {
  sql: `select pg_notify('${CHANNEL}', $1)`,
  parameters: [{ name: "payload" }],
  columns: [],
}

/** A payload holds fewer than 8,000 bytes. */
const PAYLOAD_BYTES = 7_000
/** Ends the sender's name where tasks follow, as a JSON list; without it the queue is meant. */
const END_OF_NODE = "\n"

export interface WakeUps {
  /** Tasks were put into the queue here. */
  readonly noteQueued: () => void
  readonly onQueued: (listener: () => void) => () => void
  readonly wakeHolder: (task: string) => void
  readonly onHolderWoken: (listener: (task: string) => void) => () => void
  readonly close: () => void
}

export function createWakeUps(
  sessions: Pick<Sessions, "commit">,
  open: () => Promise<Connection>,
  log: Log,
): WakeUps {
  const node = randomUUID()
  const closing = new AbortController()
  const over = closing.signal
  const bell = createBell({ node, open, log, over })
  let isDue = false
  let isQueued = false
  let woken = new Set<string>()

  async function notify(): Promise<void> {
    await pause(DEFAULTS.wakeMs, over)
    const payloads = [...(isQueued ? [node] : []), ...toPayloads(node, woken)]
    isDue = false
    isQueued = false
    woken = new Set()
    try {
      for (const payload of payloads) {
        if (!over.aborted) await sessions.commit({ steps: [toStep(NOTIFY, { payload })] })
      }
    } catch (error) {
      log.warn({ error }, "notify failed")
    }
  }

  function notifySoon(): void {
    if (isDue) return
    isDue = true
    void notify()
  }

  return {
    noteQueued() {
      isQueued = true
      notifySoon()
    },
    onQueued: (listener) => bell.onRing((tasks) => tasks ?? listener()),
    wakeHolder(task) {
      woken.add(task)
      notifySoon()
    },
    onHolderWoken: (listener) => bell.onRing((tasks) => tasks?.forEach(listener)),
    close() {
      closing.abort()
      bell.hangUp()
    },
  }
}

function toPayloads(node: string, tasks: ReadonlySet<string>): readonly string[] {
  const pieces: string[][] = []
  let bytes = PAYLOAD_BYTES
  for (const task of tasks) {
    const json = JSON.stringify(task)
    bytes += Buffer.byteLength(json) + 1
    if (bytes > PAYLOAD_BYTES) {
      pieces.push([])
      bytes = Buffer.byteLength(json) + 1
    }
    pieces.at(-1)?.push(json)
  }
  return pieces.map((piece) => `${node}${END_OF_NODE}[${piece.join(",")}]`)
}

/** Tasks whose holders are to look at them; undefined: the queue has got more. */
type Ring = (tasks: readonly string[] | undefined) => void

interface BellOptions {
  /** Its own notifications are none. */
  readonly node: string
  readonly open: () => Promise<Connection>
  readonly log: Log
  readonly over: AbortSignal
}

/** Listens as long as somebody here does; an ended connection is made again. */
function createBell({ node, open, log, over }: BellOptions): {
  readonly onRing: (listener: Ring) => () => void
  readonly hangUp: () => void
} {
  const listeners = new Set<Ring>()
  let connection: Connection | undefined
  let isListening = false

  const ring: Ring = (tasks) => {
    for (const listener of listeners) listener(tasks)
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
      opened.onNotification((payload) => {
        const [from, list] = payload.split(END_OF_NODE, 2)
        if (from !== node) ring(list === undefined ? undefined : (JSON.parse(list) as string[]))
      })
      await opened.execute(`listen ${CHANNEL}`)
      // What was queued while nobody listened.
      ring(undefined)
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
        log.warn({ error: toSafelightError(error) }, "listen failed")
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
