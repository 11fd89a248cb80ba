/**
 * `get_p99_ms_without_usage`, `get_p99_ms_during_usage`: what somebody waits who polls a task of
 * another account, while 40 callers ask for the usage of an account of 1,000,000 charges, and before;
 * tasks are created at the same rate in both. `wal_mb_during_usage` is the longest that SQLite's log
 * gets meanwhile. `--quick` only shows that it runs: fewer charges, and a second of each.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import autocannon, { type AutocannonOptions } from "autocannon"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer } from "./child-server.ts"
import { report } from "./measure.ts"
import { pollLatency } from "./poll-latency.ts"

const SCALE = process.argv.includes("--quick")
  ? { charges: 20_000, durationS: 1 }
  : { charges: 1_000_000, durationS: 20 }
const CALLERS = 40
/** Some 15 MB of log a second. */
const POSTS_PER_SECOND = 200
const WATCH_MS = 50

interface Service {
  readonly url: string
  readonly large: { readonly key: string }
  readonly other: { readonly key: string; readonly id: string }
}

await using folder = await createTemporaryFolder()
await using server = await startServer<Service>("usage-server", folder.path, String(SCALE.charges))
const { url, large, other } = server.announcement
const { durationS } = SCALE

async function postTasks(): Promise<void> {
  const { model, parameters } = SAMPLE_REQUEST
  const headers = { authorization: `Bearer ${other.key}`, "content-type": "application/json" }
  const body = JSON.stringify({ model, parameters })
  const requests = [{ method: "POST", path: "/v1/tasks", headers, body }] as const
  const overallRate = POSTS_PER_SECOND
  await assertAnswered({ url, connections: 4, duration: durationS, overallRate, requests })
}

async function askUsage(): Promise<void> {
  const headers = { authorization: `Bearer ${large.key}` }
  const requests = [{ method: "GET", path: "/v1/usage", headers }] as const
  // A sum is added up for seconds where the machine is busy.
  const timeout = 60
  await assertAnswered({ url, connections: CALLERS, duration: durationS, timeout, requests })
}

async function assertAnswered(options: AutocannonOptions): Promise<void> {
  const result = await autocannon(options)
  if (result.non2xx === 0 && result.errors === 0) return
  throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
}

async function poll(): Promise<number> {
  const headers = { authorization: `Bearer ${other.key}` }
  const path = `/v1/tasks/${other.id}`
  const [latencyMs] = await Promise.all([
    pollLatency({ url, path, headers, durationS }),
    postTasks(),
  ])
  return latencyMs
}

const withoutUsageMs = await poll()
let longestBytes = 0
const watch = setInterval(() => {
  const { size } = statSync(join(folder.path, "safelight.db-wal"))
  longestBytes = Math.max(longestBytes, size)
}, WATCH_MS)
const [duringUsageMs] = await Promise.all([poll(), askUsage()])
clearInterval(watch)

report({
  get_p99_ms_without_usage: withoutUsageMs,
  get_p99_ms_during_usage: duringUsageMs,
  wal_mb_during_usage: longestBytes / 1_000_000,
})
