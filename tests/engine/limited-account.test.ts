/**
 * Tasks of an account that may have so many running at once, and processes that stand still, die and
 * come back, by schedules that are drawn at random: nothing is bought twice, and what was bought is
 * delivered however much of its account waits. What a reader would get wrong: tasks that were never
 * bought may run out of time; only what was bought with time enough left has to succeed.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Channel } from "@safelight/core"
import {
  createManualClock,
  type ManualClock,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import * as fc from "fast-check"
import { checkAsync } from "../core/support/property.ts"
import { createPausable, type Pausable } from "./pausable.ts"
import { completed, createScene, SETTINGS } from "./support.ts"

const END_AFTER_MS = 900_000
/** For a claim to be found void, twice, and for its tasks to be claimed by another process. */
const TAKE_OVER_MS = 4 * SETTINGS.leaseMs

interface Deed {
  readonly kind: "submit" | "pause" | "resume"
  readonly process: number
  /** After the deed before, ms. */
  readonly afterMs: number
}

interface Schedule {
  readonly limit: number
  readonly backlog: number
  readonly workMs: number
  readonly deeds: readonly Deed[]
}

const schedules: fc.Arbitrary<Schedule> = fc.record({
  limit: fc.constantFrom(1, 2, 2),
  backlog: fc.constantFrom(2, 3, 16, 40),
  workMs: fc.constantFrom(5_000, 60_000, 150_000),
  deeds: fc.array(
    fc.record({
      kind: fc.constantFrom("submit", "pause", "pause", "pause", "resume"),
      process: fc.constantFrom(0, 1),
      afterMs: fc.constantFrom(0, 300, 2_000, 20_000, 90_000),
    }),
    { minLength: 2, maxLength: 8 },
  ),
})

interface Work {
  readonly task: string
  readonly key: string
  readonly boughtAt: number
}

/** A provider that takes `workMs` for a task and never makes one key's work twice. */
function createProvider(clock: ManualClock, workMs: number) {
  const bought = new Map<string, Work>()
  const channel: Channel = {
    name: "provider",
    models: ["model-a"],
    submission: { kind: "keyed", keyTtlMs: END_AFTER_MS },
    concurrency: 16,
    submitTimeoutMs: 20_000,
    async submit({ task, upstreamKey: key }) {
      if (!bought.has(key)) bought.set(key, { task, key, boughtAt: clock.now() })
      return { kind: "accepted", operation: key }
    },
    async poll({ operation }) {
      const work = bought.get(operation as string)
      if (work === undefined) return { kind: "not-created", reason: "unknown" }
      const isReady = clock.now() >= work.boughtAt + workMs
      return isReady ? completed() : { kind: "running", pollAfterMs: 5_000 }
    },
  }
  return { bought, channel }
}

async function play(schedule: Schedule): Promise<void> {
  const { limit, backlog, workMs, deeds } = schedule
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const { bought, channel } = createProvider(clock, workMs)
  await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks: limit } })
  const settings = { endAfterMs: END_AFTER_MS }
  const world = { channels: [{ channel, tier: 1 }], artifacts, settings }
  const processes: readonly Pausable[] = [0, 1].map(() => createPausable(clock, storage))
  const scenes = processes.map((own) => createScene({ ...world, ...own }))
  // It accepts and works on nothing, so that any process may begin what it accepts.
  const front = createScene({ ...world, clock, storage, isStarted: false })
  const tasks: string[] = []
  const submit = async (): Promise<void> => void tasks.push((await front.submit()).id)
  for (let count = 0; count < backlog; count += 1) await submit()
  await clock.advance(5_000)
  // It never stands still, so that somebody goes on, and it comes when the others have work.
  const last = createScene({ ...world, clock, storage })
  for (const { kind, process, afterMs } of deeds) {
    await clock.advance(afterMs)
    if (kind === "submit") await submit()
    else processes[process]?.[kind]()
  }
  await clock.advance(END_AFTER_MS + TAKE_OVER_MS)
  for (const each of processes) each.resume()
  await clock.advance(END_AFTER_MS)

  for (const id of tasks) {
    const works = [...bought.values()].filter(({ task }) => task === id)
    assert.ok(works.length <= 1, `${id} was bought ${works.length} times`)
    const story = last.story(id)
    const [work] = works
    const { endBy } = await last.read(id)
    const isInTime = work !== undefined && work.boughtAt + workMs + TAKE_OVER_MS < endBy
    if (isInTime) assert.equal(story.at(-1), "succeeded", `bought, and ${story.join(" ")}`)
  }
  await Promise.all([front, last, ...scenes].map(({ engine }) => engine.stop()))
}

describe("tasks of one limited account", () => {
  it("are each delivered, whatever becomes of the processes", async (t) => {
    await checkAsync(t, fc.asyncProperty(schedules, play), 80)
  })
})
