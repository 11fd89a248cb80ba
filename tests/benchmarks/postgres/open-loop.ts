/**
 * `commit_p50_ms`: how long a single caller's submission takes, one after another; `commit_raw_p50_ms`
 * is the same bytes inserted plainly. `open_loop_p99_ms`: 2,000 submissions a second offered at fixed
 * moments, however long the ones before take; latency counts from the intended moment, so a stall is
 * seen by all who would have come meanwhile. `open_loop_raw_p99_ms` is that of the same bytes offered
 * likewise and inserted plainly, each a commit of its own: what the machine's stalls come to by themselves.
 */
import { setTimeout as wait } from "node:timers/promises"
import { median, percentile } from "../measure.ts"
import { createDatabase } from "./database.ts"
import { reportFigures } from "./figures.ts"
import { openOwn } from "./own.ts"
import { openRawInserts } from "./raw-inserts.ts"
import { toScale } from "./scale.ts"

const OFFERED_PER_S = 2_000

/** The time of each of `count` calls, in turns of the two, one after another. */
async function timeInTurns(
  count: number,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<readonly [readonly number[], readonly number[]]> {
  const times: [number[], number[]] = [[], []]
  for (let turn = 0; turn < count; turn += 1) {
    for (const [index, call] of [first, second].entries()) {
      const startedAt = performance.now()
      await call()
      times[index]?.push(performance.now() - startedAt)
    }
  }
  return times
}

/** The latencies of calls offered at a fixed rate, in milliseconds from their intended moments. */
async function offer(durationMs: number, call: () => Promise<unknown>): Promise<readonly number[]> {
  const total = Math.round((OFFERED_PER_S * durationMs) / 1000)
  const latencies: number[] = []
  const calls: Promise<void>[] = []
  const startedAt = performance.now()
  const begin = async (intendedAt: number): Promise<void> => {
    await call()
    latencies.push(performance.now() - intendedAt)
  }
  for (let next = 0; next < total;) {
    const dueAt = startedAt + (next / OFFERED_PER_S) * 1000
    if (performance.now() < dueAt) await wait(1)
    else {
      calls.push(begin(dueAt))
      next += 1
    }
  }
  await Promise.all(calls)
  return latencies
}

const scale = toScale(process.argv)
await using ownDatabase = await createDatabase("own")
await using rawDatabase = await createDatabase("raw")
await using own = await openOwn(ownDatabase.url)
await using raw = await openRawInserts(rawDatabase)

await timeInTurns(scale.singleCommits / 5, own.submit, raw.commitOne)
const [commits, rawCommits] = await timeInTurns(scale.singleCommits, own.submit, raw.commitOne)
await offer(scale.openLoopMs / 5, own.submit)
const latencies = await offer(scale.openLoopMs, own.submit)
await offer(scale.openLoopMs / 5, raw.commitOne)
const rawLatencies = await offer(scale.openLoopMs, raw.commitOne)
reportFigures({
  commit_p50_ms: median(commits),
  commit_raw_p50_ms: median(rawCommits),
  open_loop_p50_ms: median(latencies),
  open_loop_p99_ms: percentile(latencies, 0.99),
  open_loop_raw_p50_ms: median(rawLatencies),
  open_loop_raw_p99_ms: percentile(rawLatencies, 0.99),
})
