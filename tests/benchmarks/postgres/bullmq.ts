/**
 * BullMQ on Redis with its append-only file synced each second: added one at a time, processed by a
 * worker at once. Up to a second of it may be lost with the machine, which none of the others risks.
 */
import { createRequire } from "node:module"
import { Queue, Worker } from "bullmq"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { note } from "./figures.ts"
import type { Contender } from "./race.ts"
import { startRedis } from "./redis-server.ts"

const QUEUE = "tasks"

export interface Bull extends Contender, AsyncDisposable {}

/** Undefined where it can't run here, after saying why. */
export async function openBull(inFlight: number): Promise<Bull | undefined> {
  if (!hasClient()) return without("the ioredis package is not installed")
  const redis = await startRedis()
  if (redis === undefined) return without("there is no redis-server in the PATH")
  const connection = { host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null }
  const queue = new Queue(QUEUE, { connection })
  const worker = new Worker(QUEUE, async () => {}, { connection, concurrency: inFlight })
  /** What waits to hear that its job is completed. */
  const waiting = new Map<string, () => void>()
  worker.on("completed", ({ id = "" }) => {
    const completed = waiting.get(id)
    waiting.delete(id)
    // It may be completed before its insert was heard of.
    if (completed === undefined) waiting.set(id, () => {})
    else completed()
  })
  queue.on("error", fail)
  worker.on("error", fail)
  await worker.waitUntilReady()
  return {
    async work() {
      const { id = "" } = await queue.add("task", SAMPLE_REQUEST)
      if (waiting.delete(id)) return
      await new Promise<void>((resolve) => waiting.set(id, resolve))
    },
    async [Symbol.asyncDispose]() {
      await worker.close()
      await queue.close()
      await redis[Symbol.asyncDispose]()
    },
  }
}

/** Nobody hears it: it ends the benchmark. */
function fail(error: Error): never {
  throw error
}

function without(why: string): undefined {
  note(`BullMQ is left out: ${why}`)
}

/** BullMQ loads the client it runs on by itself, and only when it connects. */
function hasClient(): boolean {
  try {
    createRequire(import.meta.resolve("bullmq")).resolve("ioredis")
    return true
  } catch {
    return false
  }
}
