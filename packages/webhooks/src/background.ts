/**
 * The work in the background: looking for news again and again, and whenever this process has added some to a feed.
 * What others add they spread themselves, or if they can't, whoever looks next: so an event costs one spreading, however
 * many processes there are. A failure is logged, and the next look follows.
 */
import type { Clock, FeedStorage, Log } from "@safelight/core"

export interface BackgroundOptions {
  readonly storage: Pick<FeedStorage, "onFed">
  readonly clock: Pick<Clock, "wait">
  readonly log: Log
  readonly pollMs: number
  readonly random: () => number
}

export interface Background {
  readonly isRunning: () => boolean
  /** `spread` is called with an account whose feed has news of this process. */
  readonly start: (spread: (account: string) => Promise<void>) => void
  readonly stop: () => void
}

export interface Work {
  readonly name: string
  readonly run: () => Promise<void>
}

export function createBackground(
  { storage, clock, log, pollMs, random }: BackgroundOptions,
  works: readonly Work[],
): Background {
  const stopped = new AbortController()
  let endListening: (() => void) | undefined

  async function attempt(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      if (!stopped.signal.aborted) log.warn({ work: name, error }, "webhooks not looked at")
    }
  }

  async function repeat({ name, run }: Work): Promise<void> {
    while (!stopped.signal.aborted) {
      await attempt(name, run)
      // Nodes that began together must not look together.
      await clock.wait(pollMs * (0.75 + random() / 2), stopped.signal)
    }
  }

  return {
    isRunning: () => endListening !== undefined && !stopped.signal.aborted,
    start(spread: (account: string) => Promise<void>): void {
      endListening ??= storage.onFed((account, isOwn) => {
        if (isOwn && !stopped.signal.aborted) void attempt("fan-out", () => spread(account))
      })
      for (const work of works) void repeat(work)
    },
    stop(): void {
      endListening?.()
      stopped.abort()
    },
  }
}
