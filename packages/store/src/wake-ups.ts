/**
 * Telling other processes that tasks were put into the queue, or that whoever holds one is to look at it:
 * one notification for all of a moment, sent by itself and never within a commit, where it would make
 * commits wait for each other. One that is lost is made up for by looking now and then.
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Log, QueueStorage } from "@safelight/core"
import { toSafelightError } from "./database-error.ts"
import type { Listening, Notifications } from "./driver.ts"

/** At most twenty a second: each costs every listener a look at the queue. */
const WAKE_MS = 50
const RETRY_MS = 1_000
/** PostgreSQL's payloads hold fewer than 8,000 bytes. */
const PAYLOAD_BYTES = 7_000
/** Ends the sender's name where tasks follow, as a JSON list; without it the queue is meant. */
const END_OF_NODE = "\n"

export interface WakeUps {
  /** Tasks were put into the queue here. */
  readonly noteQueued: () => void
  readonly methods: Required<Pick<QueueStorage, "onQueued" | "wakeHolder" | "onHolderWoken">>
  readonly close: () => void
}

export function createWakeUps(notifications: Notifications, log: Log): WakeUps {
  const node = randomUUID()
  const closing = new AbortController()
  const over = closing.signal
  const bell = createBell({ node, notifications, log, over })
  let isDue = false
  let isQueued = false
  let woken = new Set<string>()

  async function notify(): Promise<void> {
    await pause(WAKE_MS, over)
    const payloads = [...(isQueued ? [node] : []), ...toPayloads(node, woken)]
    isDue = false
    isQueued = false
    woken = new Set()
    try {
      for (const payload of payloads) if (!over.aborted) await notifications.notify(payload)
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
    methods: {
      onQueued: (listener) => bell.onRing((tasks) => tasks ?? listener()),
      wakeHolder(task) {
        woken.add(task)
        notifySoon()
      },
      onHolderWoken: (listener) => bell.onRing((tasks) => tasks?.forEach(listener)),
    },
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
  readonly notifications: Notifications
  readonly log: Log
  readonly over: AbortSignal
}

/** Listens as long as somebody here does, and again after its connection ended. */
function createBell({ node, notifications, log, over }: BellOptions): {
  readonly onRing: (listener: Ring) => () => void
  readonly hangUp: () => void
} {
  const listeners = new Set<Ring>()
  let listening: Listening | undefined
  let isListening = false

  const ring: Ring = (tasks) => {
    for (const listener of listeners) listener(tasks)
  }

  function onPayload(payload: string): void {
    const [from, list] = payload.split(END_OF_NODE, 2)
    if (from !== node) ring(list === undefined ? undefined : (JSON.parse(list) as string[]))
  }

  async function listenOnce(): Promise<void> {
    const begun = await notifications.listen(onPayload)
    listening = begun
    if (over.aborted || listeners.size === 0) begun.end()
    // What was queued while nobody listened.
    else ring(undefined)
    await begun.ended
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
      await pause(RETRY_MS, over)
    }
    isListening = false
  }

  return {
    onRing(listener) {
      listeners.add(listener)
      void listen()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) listening?.end()
      }
    },
    hangUp: () => listening?.end(),
  }
}

/** Ends early where it is over, and keeps no process alive. */
async function pause(durationMs: number, over: AbortSignal): Promise<void> {
  await setTimeout(durationMs, undefined, { signal: over, ref: false }).catch(() => undefined)
}
