/**
 * What a tree over the log costs submissions: two engines over two databases of one kind, one with a tree and one
 * without, are driven in turns. In one turn events are only noted, as in every commit; in another a thread with a
 * connection of its own gives them their leaves every second.
 */
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import type { Storage } from "@safelight/core"
import { createEngine } from "@safelight/engine"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { median, ratePerSecond } from "./measure.ts"

const CALLERS = 64

/** As a service would do it. */
const EVERY_MS = 1_000

export interface TreeCost {
  readonly offPerS: number
  /** Medians of what the turns gave, over those without a tree. */
  readonly notedRatio: number
  readonly sequencedRatio: number
  /** Events that get their leaves while nothing else happens. */
  readonly sequencedPerS: number
}

export interface TreeRoundsRequest {
  readonly off: Storage
  readonly on: Storage
  /** Where the thread finds the database of `on`. */
  readonly place: { readonly folder: string } | { readonly url: string }
  readonly rounds: number
  /** Submissions a turn. */
  readonly total: number
}

function createSubmit(storage: Storage) {
  const engine = createEngine({
    storage,
    artifacts: createMemoryArtifacts(),
    channels: [createInstantChannel()],
    // Never started: what is measured is acceptance alone.
    settings: { leaseMs: 3_600_000 },
  })
  return { engine, submit: (): Promise<unknown> => engine.submit(SAMPLE_REQUEST) }
}

export async function measureTreeCost(request: TreeRoundsRequest): Promise<TreeCost> {
  const { off, on, place, rounds, total } = request
  const [without, withTree] = [createSubmit(off), createSubmit(on)]
  await on.openTree()
  await ratePerSecond(total / 2, CALLERS, without.submit)
  await ratePerSecond(total / 2, CALLERS, withTree.submit)
  const thread = new Worker(new URL("tree-thread.ts", import.meta.url), { workerData: place })
  async function tell(word: "end" | "sequence"): Promise<void> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's, not a window's
    thread.postMessage(word)
    await once(thread, "message")
  }
  const behindAt = performance.now()
  await tell("sequence")
  const { size = 0 } = (await on.readTree()) ?? {}
  const sequencedPerS = (size / (performance.now() - behindAt)) * 1_000

  async function rateSequenced(): Promise<number> {
    const submitting = { isOver: false }
    const sequencing = (async () => {
      while (!submitting.isOver) await Promise.all([tell("sequence"), setTimeout(EVERY_MS)])
    })()
    const rate = await ratePerSecond(total, CALLERS, withTree.submit)
    submitting.isOver = true
    await sequencing
    return rate
  }

  const turns: { readonly off: number; readonly noted: number; readonly sequenced: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = await ratePerSecond(total / 2, CALLERS, without.submit)
    const noted = await ratePerSecond(total, CALLERS, withTree.submit)
    await tell("sequence")
    const sequenced = await rateSequenced()
    const after = await ratePerSecond(total / 2, CALLERS, without.submit)
    turns.push({ off: 2 / (1 / before + 1 / after), noted, sequenced })
  }
  await tell("end")
  await without.engine.stop()
  await withTree.engine.stop()
  return {
    offPerS: median(turns.map((turn) => turn.off)),
    notedRatio: median(turns.map((turn) => turn.noted / turn.off)),
    sequencedRatio: median(turns.map((turn) => turn.sequenced / turn.off)),
    sequencedPerS,
  }
}

/** As they are printed. */
export function toTreeFigures(cost: TreeCost): Record<string, number> {
  return {
    tree_noted_ratio: cost.notedRatio,
    tree_sequenced_ratio: cost.sequencedRatio,
    tree_submit_off_per_s: cost.offPerS,
    tree_sequenced_per_s: cost.sequencedPerS,
  }
}
