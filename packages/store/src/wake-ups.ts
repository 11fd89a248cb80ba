/**
 * Notifies other processes that tasks were put into the queue or that feeds have grown, or asks the holder of a
 * task to check it. The notifications of a moment are sent as one, and never within a commit, where they would
 * make commits wait for each other. A lost one does no harm, since processes also poll.
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Log, QueueStorage } from "@safelight/core"
import { toSafelightError } from "./sql/database-error.ts"
import type { Listening, Notifications } from "./sql/driver.ts"
import { createUntoldTasks } from "./untold-tasks.ts"

/** At most twenty a second: each makes every listener read the queue. */
const WAKE_MS = 50
const RETRY_MS = 1_000
/** PostgreSQL's payloads hold fewer than 8,000 bytes. */
const PAYLOAD_BYTES = 7_000
/** Separates the sender's name, the kind of the payload, and the JSON list of the names in it. */
const SEPARATOR = "\n"

/** The names in a payload: tasks that their holders should check, or accounts whose feeds have grown, or are watched. */
const TOPICS = ["held", "fed", "watched"] as const
type Topic = (typeof TOPICS)[number]

export interface WakeUps {
  /** Tasks were put into the queue here. */
  readonly noteQueued: () => void
  /** The feed of the account has grown, or was begun. */
  readonly noteFed: (account: string) => void
  /** This process watches the feed of the account. */
  readonly noteWatched: (account: string) => void
  /** Calls `listener` with each account that another process watches. */
  readonly onWatched: (listener: (account: string) => void) => () => void
  /** Calls `listener` with each account that another process names so. Returns how to stop. */
  readonly onFed: (listener: (account: string) => void) => () => void
  /** Calls `listener` whenever it begins to listen: earlier notifications were missed. */
  readonly onListening: (listener: () => void) => () => void
  /** Those that receive are absent if nothing can be received. */
  readonly methods: Pick<QueueStorage, "onQueued" | "wakeHolder" | "onHolderWoken">
  readonly close: () => void
}

export function createWakeUps(notifications: Notifications, log: Log): WakeUps {
  const node = randomUUID()
  const closing = new AbortController()
  const over = closing.signal
  const untold = createUntoldTasks()
  const bell = createBell({ node, notifications, log, over, onQueued: untold.noteOther })
  let isDue = false
  let named = noNames()

  async function notify(): Promise<void> {
    await pause(WAKE_MS, over)
    const payloads = [
      ...(untold.take() ? [node] : []),
      ...TOPICS.flatMap((topic) => toPayloads(node, topic, named[topic])),
    ]
    isDue = false
    named = noNames()
    if (untold.isLeft()) notifySoon()
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

  function name(topic: Topic, of: string): void {
    named[topic].add(of)
    notifySoon()
  }

  const onTopic = (topic: string, listener: (names: readonly string[]) => void) =>
    bell.onRing((news) => {
      if (news?.topic === topic) listener(news.names)
    })

  return {
    noteQueued() {
      untold.note()
      notifySoon()
    },
    noteFed: (account) => name("fed", account),
    noteWatched: (account) => name("watched", account),
    onWatched: (listener) => onTopic("watched", (names) => names.forEach(listener)),
    onFed: (listener) => onTopic("fed", (names) => names.forEach(listener)),
    onListening: (listener) => onTopic(LISTENING.topic, listener),
    methods: {
      wakeHolder: (task) => name("held", task),
      ...(notifications.listen && {
        onQueued: (listener) => bell.onRing(toQueueRing(listener)),
        onHolderWoken: (listener) => onTopic("held", (names) => names.forEach(listener)),
      }),
    },
    close() {
      closing.abort()
      bell.hangUp()
    },
  }
}

/** Tasks may have been queued before it listened. */
function toQueueRing(listener: () => void): Ring {
  return (news) => {
    if (news === undefined || news === LISTENING) listener()
  }
}

function noNames(): Record<Topic, Set<string>> {
  return { held: new Set(), fed: new Set(), watched: new Set() }
}

function toPayloads(node: string, topic: Topic, names: ReadonlySet<string>): readonly string[] {
  const pieces: string[][] = []
  let bytes = PAYLOAD_BYTES
  for (const each of names) {
    const json = JSON.stringify(each)
    bytes += Buffer.byteLength(json) + 1
    if (bytes > PAYLOAD_BYTES) {
      pieces.push([])
      bytes = Buffer.byteLength(json) + 1
    }
    pieces.at(-1)?.push(json)
  }
  return pieces.map((piece) => [node, topic, `[${piece.join(",")}]`].join(SEPARATOR))
}

interface News {
  readonly topic: string
  readonly names: readonly string[]
}

/** Of this process itself: it has begun to listen. */
const LISTENING: News = { topic: "listening", names: [] }

/** Undefined: tasks were put into the queue. */
type Ring = (news: News | undefined) => void

interface BellOptions {
  /** Its own notifications are ignored. */
  readonly node: string
  readonly notifications: Notifications
  readonly log: Log
  readonly over: AbortSignal
  /** Another process notified of tasks that it queued. */
  readonly onQueued: (node: string) => void
}

/** Listens as long as there is a listener here, over a new connection if one ends; never rings if it can't. */
function createBell({ node, notifications, log, onQueued, over }: BellOptions): {
  readonly onRing: (listener: Ring) => () => void
  readonly hangUp: () => void
} {
  const listeners = new Set<Ring>()
  let listening: Listening | undefined
  let isListening = false

  const ring: Ring = (news) => {
    for (const listener of listeners) listener(news)
  }

  function onPayload(payload: string): void {
    const [from, topic, list] = payload.split(SEPARATOR, 3)
    if (from === undefined || from === node) return
    if (topic === undefined || list === undefined) {
      onQueued(from)
      ring(undefined)
    } else ring({ topic, names: JSON.parse(list) as string[] })
  }

  async function listenOnce(begin: NonNullable<Notifications["listen"]>): Promise<void> {
    const begun = await begin(onPayload)
    listening = begun
    if (over.aborted || listeners.size === 0) begun.end()
    else ring(LISTENING)
    await begun.ended
  }

  async function listen(): Promise<void> {
    const { listen: begin } = notifications
    if (isListening || begin === undefined) return
    isListening = true
    while (listeners.size > 0 && !over.aborted) {
      try {
        await listenOnce(begin)
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

/** Ends early if `over` aborts, and keeps no process alive. */
async function pause(durationMs: number, over: AbortSignal): Promise<void> {
  await setTimeout(durationMs, undefined, { signal: over, ref: false }).catch(() => undefined)
}
