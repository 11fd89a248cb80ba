/**
 * A question to the database that a scrape asks: believed for a moment, asked once at a time however
 * long it takes, so that scrapes never pile up on a database that hangs.
 */
import type { Clock } from "@safelight/core"

export interface KeptAnswer<Value> {
  /** Resolves when what was said is fresh, or the question failed; never rejects. */
  refresh(): Promise<void>
  /** What was said less than so long ago; undefined where nothing was, or the question failed since. */
  latest(withinMs: number): Value | undefined
}

export interface KeptAnswerOptions<Value> {
  readonly ask: () => Promise<Value>
  readonly believedMs: number
  readonly clock: Pick<Clock, "monotonicNow">
  readonly onFailure: (error: unknown) => void
}

export function createKeptAnswer<Value>(options: KeptAnswerOptions<Value>): KeptAnswer<Value> {
  const { ask, believedMs, clock, onFailure } = options
  let value: Value | undefined
  let at = -Infinity
  let asking: Promise<void> | undefined

  async function askNow(): Promise<void> {
    try {
      value = await ask()
    } catch (error) {
      value = undefined
      onFailure(error)
    }
    at = clock.monotonicNow()
    asking = undefined
  }

  return {
    async refresh() {
      if (asking === undefined && clock.monotonicNow() - at < believedMs) return
      await (asking ??= askNow())
    },
    latest: (withinMs) => (clock.monotonicNow() - at < withinMs ? value : undefined),
  }
}
