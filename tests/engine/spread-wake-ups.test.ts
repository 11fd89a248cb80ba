/** Wake-ups that reach many processes at once: they read the queue one after the other. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createManualClock,
  createMemoryArtifacts,
  createMemoryStorage,
  createScriptedChannel,
} from "@safelight/testkit"
import { createScene } from "./support.ts"

/** No read but those that wake-ups lead to. */
const LONG_MS = 1_000_000

interface Read {
  readonly process: number
  /** Since the wake-up, ms. */
  readonly atMs: number
}

/** So many idle processes that have seen each other, and what reads of the queue a wake-up leads to. */
async function startIdle(count: number) {
  const clock = createManualClock()
  const memory = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const listeners = new Set<() => void>()
  let reads: Read[] = []
  let rungAt = 0
  for (let process = 0; process < count; process += 1) {
    const storage: typeof memory = {
      ...memory,
      onQueued(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      peekQueue(request) {
        reads.push({ process, atMs: clock.monotonicNow() - rungAt })
        return memory.peekQueue(request)
      },
    }
    const channels = [createScriptedChannel()]
    createScene({ channels, clock, storage, artifacts, settings: { idlePollMs: LONG_MS } })
  }
  await clock.advance(30_000)
  return {
    clock,
    async ring(times: number, waitMs: number): Promise<readonly Read[]> {
      reads = []
      rungAt = clock.monotonicNow()
      for (let rung = 0; rung < times; rung += 1) for (const listener of listeners) listener()
      await clock.advance(waitMs)
      return reads
    },
  }
}

describe("wake-ups", () => {
  it("are answered at once by a process alone", async () => {
    const { ring } = await startIdle(1)
    assert.deepEqual(await ring(3, 500), [{ process: 0, atMs: 0 }])
  })

  it("are answered by one process after the other, another the first in each second", async () => {
    const { clock, ring } = await startIdle(4)
    const firsts = new Set<number | undefined>()
    for (let round = 0; round < 4; round += 1) {
      const reads = await ring(1, 500)
      assert.deepEqual(
        reads.map(({ atMs }) => atMs),
        [0, 5, 10, 15],
      )
      assert.deepEqual(new Set(reads.map(({ process }) => process)), new Set([0, 1, 2, 3]))
      firsts.add(reads[0]?.process)
      await clock.advance(500)
    }
    assert.equal(firsts.size, 4)
  })

  it("that come before a process's turn are answered in it together", async () => {
    const { ring } = await startIdle(4)
    const reads = await ring(20, 500)
    const counts = [0, 1, 2, 3].map(
      (process) => reads.filter((read) => read.process === process).length,
    )
    assert.deepEqual(counts, [1, 1, 1, 1])
  })
})
