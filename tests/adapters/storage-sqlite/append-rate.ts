/**
 * Measures appends as submissions make them: one event, a task row, a place in the queue, an input
 * of 300 bytes. From `tests`, where N appends are made by M callers that wait for each of theirs:
 *
 *   ../node_modules/.bin/node --conditions=@safelight/source --max-semi-space-size=16 \
 *     adapters/storage-sqlite/append-rate.ts M N [KIND] [FOLDER]
 *
 * KIND is `append`, or `admit` for admissions: `keyed` ones have an idempotency key, `bounded` ones
 * one account that has bounds as well.
 */
import assert from "node:assert/strict"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Append, Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"

const [callers = "64", total = "100000", kind = "append", parent = tmpdir()] = process.argv.slice(2)
const WARM_UP = 2_000

const folder = await mkdtemp(join(parent, "safelight-rate-"))
const storage = await createSqliteStorage({ folder })
if (kind === "bounded") {
  const settings = { budgetMicros: Number.MAX_SAFE_INTEGER, unfinishedTasks: 10_000_000 }
  await storage.setAccount({ id: "account", now: 500, settings })
}
const appends = Array.from({ length: WARM_UP + Number(total) }, (_, index) => toAppend(index))
await appendAll(storage, appends.slice(0, WARM_UP))
const cpuBefore = process.cpuUsage()
const threadBefore = process.threadCpuUsage()
const startedAt = performance.now()
const latenciesMs = await appendAll(storage, appends.slice(WARM_UP))
const durationMs = performance.now() - startedAt
report(latenciesMs, durationMs)
await storage.close()
await rm(folder, { recursive: true })

function toAppend(index: number): Append {
  // As UUIDv7 do, ids grow with time.
  const id = `0193a5e0-${index.toString(16).padStart(8, "0")}-${(index * 7919) % 10_007}`
  return submitSample({
    id: id.padEnd(36, "0"),
    inputs: [{ task: id.padEnd(36, "0"), name: "request", salt: "5a", body: "x".repeat(300) }],
    queue: {
      kind: "enqueue",
      dueAt: 1_000 + index,
      endBy: 9_000 + index,
      lease: null,
      startTag: index,
    },
  }).append
}

async function appendAll(to: Storage, all: readonly Append[]): Promise<number[]> {
  const latencies: number[] = []
  const left = all[Symbol.iterator]()
  async function appendInTurn(): Promise<void> {
    for (const append of left) {
      const begunAt = performance.now()
      await store(to, append)
      latencies.push(performance.now() - begunAt)
    }
  }
  await Promise.all(Array.from({ length: Number(callers) }, appendInTurn))
  return latencies.toSorted((one, other) => one - other)
}

async function store(to: Storage, append: Append): Promise<void> {
  if (kind === "append") return to.append(append)
  const idempotency = { key: append.task, fingerprint: "ab".repeat(32), usedAt: 1_000 }
  const admission = await to.admit(kind === "admit" ? { append } : { append, idempotency })
  assert.equal(admission.kind, "admitted")
}

function report(sortedMs: readonly number[], elapsedMs: number): void {
  const at = (share: number) => sortedMs[Math.floor(share * (sortedMs.length - 1))]?.toFixed(2)
  const toShare = ({ user, system }: NodeJS.CpuUsage) =>
    ((user + system) / sortedMs.length).toFixed(1)
  const rate = Math.round((sortedMs.length / elapsedMs) * 1_000)
  const cpu = toShare(process.cpuUsage(cpuBefore))
  const main = toShare(process.threadCpuUsage(threadBefore))
  process.stdout.write(
    `${rate} appends/s; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms; ` +
      `CPU ${cpu} µs an append, ${main} of them on the main thread\n`,
  )
}
