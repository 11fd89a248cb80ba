/**
 * Clients that watch by server-sent events: each task from its 202 to its end, and the whole account. Their
 * connections are cut again and again, by themselves, on the way or with the node, and each is resumed behind the
 * last event that was read, at whichever node. What they saw is noted in order, and judged by nobody here.
 *
 *     opening → events → cut, ended or silent → opening at any node → … → 204, 404 or the task's end
 */
import { setTimeout as pause } from "node:timers/promises"
import type { NewKey } from "@safelight/core"
import type { Activity } from "./activity.ts"
import type { Random } from "./random.ts"
import type { Feed } from "@safelight/core"
import { createServerEventReader, type ServerEvent } from "./server-events.ts"
import { startProxy, type TcpProxy } from "./tcp-proxy.ts"

export interface WatchTarget {
  readonly name: string
  readonly url: string
}

/** What happened to a watcher; `at` is its wall clock. */
export type Sight = { readonly at: number } & (
  | ({ readonly kind: "event" } & ServerEvent)
  /** The node ended the answer as complete. */
  | { readonly kind: "ended"; readonly node: string }
  /** Any other status than 200 that the node may not answer with for a while. */
  | { readonly kind: "answered"; readonly status: number }
)

export interface WatchedStream {
  readonly account: string
  /** Undefined: of the account. */
  readonly task: string | undefined
  readonly sights: readonly Sight[]
}

export interface StreamWatchers {
  readonly streams: readonly WatchedStream[]
  /** Of each cause, how many connections were cut. */
  readonly cuts: ReadonlyMap<string, number>
  /** Resolves once the account's stream has begun. */
  watchAccount(account: string): Promise<void>
  watchTask(account: string, task: string): void
  /** Resolves once no task is watched any more, and each account's stream has come as far as its feed. */
  caughtUp(feeds: readonly Pick<Feed, "account" | "position">[]): Promise<void>
  stop(): Promise<void>
}

export interface StreamWatchersOptions {
  readonly activity: Activity
  readonly random: Random
  /** Nodes that are up as far as is known. */
  readonly targets: () => readonly WatchTarget[]
  /** A key of the account that is believed to hold; undefined where there is none. */
  readonly keyOf: (account: string) => NewKey | undefined
}

/** Longer than any node is silent that works: beats come each second. */
const SILENT_MS = 4_000
/** A round has a hundred watchers, all of which connect again while a node is down. */
const AGAIN_MS = 250

/** Answers that may be others in a moment. */
const IS_PASSING: ReadonlySet<number> = new Set([429, 503])
/** The key holds no longer, or the account is suspended: another key, or another moment, may be let in. */
const IS_DENIED: ReadonlySet<number> = new Set([401, 403])

interface Watching extends WatchedStream {
  readonly path: string
  readonly sights: Sight[]
  /** With which it connects until it is denied. */
  key: string | undefined
  isOver: boolean
}

export function createStreamWatchers(options: StreamWatchersOptions): StreamWatchers {
  const { activity, random } = options
  const streams: Watching[] = []
  const cuts = new Map<string, number>()
  const stopping = new AbortController()
  const proxies = new Map<string, Promise<TcpProxy>>()
  const watching = new Set<Promise<void>>()
  /** Of each task that is watched: whoever submits twice gets it twice. */
  const known = new Set<string>()

  function note(cause: string): void {
    cuts.set(cause, (cuts.get(cause) ?? 0) + 1)
  }

  function proxyOf({ url }: WatchTarget): Promise<TcpProxy> {
    const proxy = proxies.get(url) ?? startProxy({ port: Number(new URL(url).port) })
    proxies.set(url, proxy)
    return proxy
  }

  function pickTarget(): WatchTarget | undefined {
    const targets = options.targets()
    return targets[random.integer(0, Math.max(0, targets.length - 1))]
  }

  async function pickProxy(): Promise<TcpProxy | undefined> {
    const target = pickTarget()
    return target && proxies.get(target.url)
  }

  async function connect(stream: Watching): Promise<void> {
    const target = pickTarget()
    stream.key ??= options.keyOf(stream.account)?.key
    if (target === undefined || stream.key === undefined) {
      await activity.until(() => options.targets().length > 0 || stopping.signal.aborted)
      return
    }
    const { port } = await proxyOf(target)
    // By itself the client leaves with some piece, read or not.
    const leavesAt = random.integer(1, 12)
    const isRead = random.integer(0, 1) === 1
    await watchOnce(stream, target, {
      url: `http://127.0.0.1:${port}${stream.path}`,
      stopped: stopping.signal,
      leaves(count) {
        if (count !== leavesAt) return undefined
        note(isRead ? "client left" : "client left with a piece unread")
        return { isRead }
      },
    })
  }

  async function follow(stream: Watching): Promise<void> {
    while (!stream.isOver && !stopping.signal.aborted) {
      await connect(stream)
      if (!stream.isOver) await pause(AGAIN_MS)
    }
  }

  function watch(account: string, task?: string): Watching {
    const path = task === undefined ? "/v1/stream" : `/v1/tasks/${task}/stream`
    const stream: Watching = { account, task, path, sights: [], key: undefined, isOver: false }
    streams.push(stream)
    // A round that has failed ends every wait; it is told by then.
    const followed: Promise<void> = follow(stream)
      .catch(() => undefined)
      .finally(() => watching.delete(followed))
    watching.add(followed)
    return stream
  }

  /** Connections are cut on their way, all of one node at once. */
  async function cutOnTheWay(): Promise<void> {
    while (!stopping.signal.aborted) {
      await activity.more(random.integer(15, 60))
      const proxy = await pickProxy()
      if (proxy === undefined) continue
      proxy.cut()
      note("cut on the way")
    }
  }

  const cutting = cutOnTheWay().catch(() => undefined)
  return {
    streams,
    cuts,
    async watchAccount(account) {
      const stream = watch(account)
      while (stream.sights.length === 0 && !stopping.signal.aborted) await pause(AGAIN_MS)
    },
    watchTask(account, task) {
      if (known.has(task)) return
      known.add(task)
      watch(account, task)
    },
    async caughtUp(feeds) {
      const isOpen = ({ isOver, task }: Watching): boolean => task !== undefined && !isOver
      const isBehind = (stream: Watching): boolean =>
        stream.task === undefined &&
        feeds.some((feed) => feed.account === stream.account && toPosition(stream) < feed.position)
      while (streams.some((stream) => isOpen(stream) || isBehind(stream))) {
        if (stopping.signal.aborted) return
        await pause(AGAIN_MS)
      }
    },
    async stop() {
      stopping.abort()
      activity.note()
      await Promise.allSettled(watching)
      for (const proxy of proxies.values()) await (await proxy)[Symbol.asyncDispose]()
      void cutting
    },
  }
}

interface Connection {
  readonly url: string
  readonly stopped: AbortSignal
  /** Asked with each piece, from 1 on: whether the client leaves, and whether it has read the piece by then. */
  readonly leaves: (count: number) => { readonly isRead: boolean } | undefined
}

/** One connection, until it is over; never rejects. */
async function watchOnce(
  stream: Watching,
  { name: node }: WatchTarget,
  { leaves, stopped, url }: Connection,
): Promise<void> {
  const leaving = new AbortController()
  let silence = setTimeout(() => leaving.abort(), SILENT_MS)
  const last = stream.sights.findLast((sight) => sight.kind === "event")
  const resumed = last === undefined ? {} : { "last-event-id": last.id }
  try {
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${stream.key}`, accept: "text/event-stream", ...resumed },
      signal: AbortSignal.any([stopped, leaving.signal]),
    })
    const { status, body } = answer
    if (status !== 200 || body === null) {
      noteStatus(stream, status)
      await body?.cancel()
      return
    }
    const reader = createServerEventReader()
    let count = 0
    for await (const piece of body) {
      clearTimeout(silence)
      silence = setTimeout(() => leaving.abort(), SILENT_MS)
      count += 1
      const left = leaves(count)
      if (left?.isRead !== false) noteEvents(stream, reader.read(piece))
      // Leaving the loop closes the connection.
      if (left !== undefined) return
    }
    stream.sights.push({ kind: "ended", node, at: Date.now() })
    stream.isOver ||= hasShownEnd(stream)
  } catch {
    // Killed, cut, silent: the client connects again.
  } finally {
    clearTimeout(silence)
  }
}

function noteStatus(stream: Watching, status: number): void {
  if (IS_PASSING.has(status)) return
  stream.sights.push({ kind: "answered", status, at: Date.now() })
  if (IS_DENIED.has(status)) stream.key = undefined
  else stream.isOver = stream.task !== undefined || status !== 204
}

function noteEvents(stream: Watching, events: readonly ServerEvent[]): void {
  const at = Date.now()
  stream.sights.push(...events.map((event) => ({ kind: "event" as const, at, ...event })))
}

/** Of a task: its end was told, and with it all there is. */
function hasShownEnd({ sights, task }: Watching): boolean {
  const ends = new Set(["task.succeeded", "task.failed", "task.expired"])
  return (
    task !== undefined && sights.some((sight) => sight.kind === "event" && ends.has(sight.event))
  )
}

/** Of the account: `feed:position`, and whatever follows. */
function toPosition({ sights }: Watching): number {
  const last = sights.findLast((sight) => sight.kind === "event")
  return Number(last?.id.split(":")[1] ?? 0)
}
