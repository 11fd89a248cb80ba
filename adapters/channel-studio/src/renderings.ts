/**
 * The renderings under way and those kept until they are collected. Following a key starts its
 * rendering or joins it. Only `cancel` stops a rendering: it continues if nobody follows it any longer.
 */
import {
  SafelightError,
  type AbortSignalLike,
  type CancelOutcome,
  type Clock,
  type PollOutcome,
} from "@safelight/core"
import { createClaimedTrouble } from "./claimed-trouble.ts"
import type { StudioSettings } from "./options.ts"
import { toPollOutcome } from "./poll-outcome.ts"
import { createRenderPool } from "./render-pool.ts"
import { createRendering, type Rendering } from "./rendering.ts"
import type { RequestPlan } from "./request-plan.ts"
import { createShelf } from "./shelf.ts"
import { startRendering } from "./start-rendering.ts"
import { createWorkFolders } from "./work-folder.ts"

export interface Renderings {
  /**
   * How the rendering stands, after waiting for news; `start` describes the one to begin if none is
   * under way. Rejects with `channel-unavailable` once closed, and if the machine could not render: then
   * the next call begins anew.
   */
  follow(key: string, start: RenderingStart, wait: Wait): Promise<PollOutcome>
  /**
   * Stops the rendering and its process; whoever follows it learns that it was cancelled. It is
   * `unknown` if another process is rendering it.
   */
  cancel(key: string): CancelOutcome
  close(): Promise<void>
}

export interface RenderingStart {
  /** Whose it is. */
  readonly account: string
  /** Asked once a rendering: it reads the prompt. */
  readonly plan: () => RequestPlan
}

export interface Wait {
  /** Only more progress than this is news. */
  readonly beyond: number
  readonly longestMs: number
  readonly signal: AbortSignalLike
}

export function createRenderings(settings: StudioSettings): Renderings {
  const { clock } = settings
  const pool = createRenderPool(settings)
  const ports = { ...settings, pool, createFolder: createWorkFolders(settings.log) }
  const trouble = createClaimedTrouble()
  const shelf = createShelf(settings)
  /** Each stays here until its files are gone. */
  const underWay = new Set<Promise<void>>()
  let isClosed = false

  function join(key: string, { account, plan }: RenderingStart): Rendering {
    const known = shelf.find(key)
    if (known !== undefined) return known
    const rendering = createRendering(account)
    shelf.add(key, rendering)
    const acceptsClaim = (): Promise<boolean> => trouble.accepts(key)
    const work = startRendering({ ...ports, acceptsClaim }, plan(), rendering)
    underWay.add(work)
    void work.then(() => shelf.tidy(key, rendering)).finally(() => underWay.delete(work))
    return rendering
  }

  return {
    async follow(key, start, wait) {
      if (isClosed) throw closed()
      const rendering = join(key, start)
      await waitForNews(clock, rendering, wait)
      if (isClosed && rendering.end?.kind === "called-off") throw closed()
      return toPollOutcome(rendering, () => shelf.remove(key, rendering))
    },
    cancel(key) {
      const rendering = shelf.find(key)
      if (rendering === undefined) return "unknown"
      // A result stays for later polls.
      if (rendering.end?.kind === "rendered" || rendering.end?.kind === "refused") return "too-late"
      shelf.remove(key, rendering)
      rendering.callOff()
      return "stopped"
    },
    async close() {
      isClosed = true
      for (const rendering of shelf.all()) rendering.callOff()
      await pool.close()
      await Promise.all(underWay)
    },
  }
}

async function waitForNews(clock: Clock, rendering: Rendering, wait: Wait): Promise<void> {
  const over = new AbortController()
  const end = (): void => over.abort()
  if (wait.signal.aborted) end()
  wait.signal.addEventListener("abort", end, { once: true })
  const news = rendering.waitBeyond(wait.beyond, over.signal)
  await Promise.race([news, clock.wait(wait.longestMs, over.signal)])
  wait.signal.removeEventListener("abort", end)
  end()
}

function closed(): SafelightError {
  return new SafelightError({ code: "channel-unavailable", message: "the studio is closed" })
}
