/**
 * The watchers of accounts' tasks. An account has a feed while it is watched and for a while after, so that a
 * reader that comes back finds what it missed. Processes notify each other that feeds have grown; since a
 * notification may get lost, every idle poll checks all feeds as well. Nothing runs without a watcher.
 */
import {
  SafelightError,
  WATCHED_MS,
  type ChangeService,
  type Watch,
  type WatchRequest,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { createAccountWatch, type AccountWatch } from "./account-watch.ts"
import { findPosition, readPage } from "./read-page.ts"

/** In the time for which one counts: a process that begins hears one soon, and one may get lost. */
const NOTES = 4

export interface ChangeFeed extends Omit<ChangeService, "findTaskAt" | "listChanges"> {
  /** Ends every watch. */
  readonly stop: () => void
}

type Needs = Pick<Context, "clock" | "log" | "settings" | "storage">

type Watched = Map<string, AccountWatch>

export function createChangeFeed(needs: Needs): ChangeFeed {
  const { clock, settings, storage } = needs
  const watched: Watched = new Map()
  const opening = new Map<string, Promise<AccountWatch>>()
  const stopping = new AbortController()
  const look = createLooks(needs, watched, stopping.signal)
  const watchNeeds = { ...needs, over: stopping.signal }

  async function open(account: string): Promise<AccountWatch> {
    let hasGrown = false
    const stopListening = storage.onFed((fed) => void (hasGrown ||= fed === account))
    try {
      const until = clock.now() + settings.feedMs
      const feed = await storage.openFeed({ account, until })
      storage.noteWatched?.([account])
      const begin = await findPosition(storage, account, feed)
      const watch = createAccountWatch(watchNeeds, feed, begin)
      watched.set(account, watch)
      void look()
      if (hasGrown) watch.catchUp()
      return watch
    } finally {
      stopListening()
    }
  }

  async function find(account: string): Promise<AccountWatch> {
    const known = watched.get(account)
    if (known !== undefined) return known
    const opened = opening.get(account) ?? open(account)
    opening.set(account, opened)
    try {
      return await opened
    } finally {
      opening.delete(account)
    }
  }

  return {
    async watchChanges(request: WatchRequest): Promise<Watch> {
      const watch = await find(request.account)
      if (stopping.signal.aborted) {
        const message = "the engine is stopping"
        throw new SafelightError({ code: "overloaded", message, retryable: true })
      }
      watch.add(request)
      return { position: watch.position(), end: () => watch.remove(request) }
    },
    readChanges(request) {
      const kept = watched.get(request.account)?.findPage(request.after)
      return kept === undefined ? readPage(storage, request) : Promise.resolve(kept)
    },
    stop() {
      stopping.abort()
      for (const watch of watched.values()) watch.end()
    },
  }
}

/** Returns a function that starts to check all feeds, unless that is under way. It ends with the last watcher. */
function createLooks(
  { clock, log, settings, storage }: Needs,
  watched: Watched,
  over: AbortSignal,
): () => Promise<void> {
  let isLooking = false
  let noteAt = -Infinity

  /** Other processes tell of what is noted, for a while. */
  function noteWatched(): void {
    if (clock.monotonicNow() < noteAt) return
    noteAt = clock.monotonicNow() + WATCHED_MS / NOTES
    storage.noteWatched?.([...watched.keys()])
  }

  async function lookOnce(): Promise<void> {
    const looked = [...watched].map(async ([account, watch]) => {
      return [account, watch, await storage.findFeed(account)] as const
    })
    noteWatched()
    for (const [account, watch, feed] of await Promise.all(looked)) {
      if (!watch.isWatched()) {
        watched.delete(account)
        continue
      }
      const now = clock.now()
      const until = now + settings.feedMs
      const isLong = watch.keptUntil() >= now + settings.feedMs / 2
      const known = isLong ? feed : undefined
      watch.note(known ?? (await storage.openFeed({ account, until })))
    }
  }

  return async () => {
    if (isLooking) return
    isLooking = true
    const stopListening = storage.onFed((account) => watched.get(account)?.catchUp())
    while (watched.size > 0 && !over.aborted) {
      await clock.wait(settings.idlePollMs, over)
      if (over.aborted) break
      await lookOnce().catch((error: unknown) => log.warn({ error }, "feeds not read"))
    }
    isLooking = false
    stopListening()
  }
}
