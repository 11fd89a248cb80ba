/**
 * Many tasks in flight at one provider, each polled at an interval: what they take of memory and of a
 * processor, and how long after its end a task is seen to be over, in intervals.
 */
import { setTimeout } from "node:timers/promises"
import { percentile, ratePerSecond, report } from "../measure.ts"
import { openProviderWorld } from "./provider-world.ts"
import { readSizes } from "./sizes.ts"

const {
  tasks,
  "interval-ms": intervalMs,
  seconds,
} = readSizes({
  tasks: { full: 10_000, quick: 300 },
  "interval-ms": { full: 5_000, quick: 500 },
  /** Of each of the two windows: undisturbed, and while some of them end. */
  seconds: { full: 40, quick: 2 },
})
const MEBIBYTE = 1024 * 1024
const SAMPLE_MS = 250

await using world = await openProviderWorld({ concurrency: tasks, pollAfterMs: intervalMs })
await ratePerSecond(tasks, 128, () => world.submit())

async function ask<Answer>(path: string): Promise<Answer> {
  return (await (await fetch(`${world.url}/${path}`)).json()) as Answer
}

while ((await ask<number>("count")) < tasks) await setTimeout(SAMPLE_MS)
// Polls that began together have spread by then.
await setTimeout(intervalMs * 2)

let most = 0
const startedAt = performance.now()
const before = process.cpuUsage()
while (performance.now() - startedAt < seconds * 1_000) {
  most = Math.max(most, process.memoryUsage.rss())
  await setTimeout(SAMPLE_MS)
}
const { system, user } = process.cpuUsage(before)
const cores = (system + user) / 1_000 / (performance.now() - startedAt)

const ending = Math.ceil(tasks / 10)
const body = JSON.stringify({ tasks: ending, withinMs: seconds * 1_000 })
await fetch(`${world.url}/finish`, { method: "POST", body })
let lateness: readonly number[] = []
while (lateness.length < ending) {
  await setTimeout(SAMPLE_MS)
  lateness = await ask("lateness")
}
const names = tasks === 10_000 ? "10k" : String(tasks)
report({
  [`rss_mb_${names}_in_flight`]: most / MEBIBYTE,
  [`cpu_cores_${names}_in_flight`]: cores,
  notice_p99_intervals: percentile(lateness, 0.99) / intervalMs,
})
