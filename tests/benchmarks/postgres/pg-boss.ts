/**
 * pg-boss as one would use it for speed: jobs are sent one at a time, since each comes from a request
 * of its own, and fetched and completed by the hundred. A fetch follows a send at once, without the
 * wait of its polling workers.
 */
import { randomUUID } from "node:crypto"
import { PgBoss } from "pg-boss"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { POOL_SIZE } from "./database.ts"
import type { Contender } from "./race.ts"

const QUEUE = "tasks"

/** Most jobs of one fetch: all that are on their way. */
const IN_FLIGHT = 256

/** Inserted at once in bulk: half of what is in flight, so that two batches overlap. */
const BULK = 128

export interface Boss extends AsyncDisposable {
  readonly send: Contender
  /** Sent, fetched and completed. */
  readonly lifecycle: Contender
  /** Inserted by the batch, fetched and completed. */
  readonly bulkLifecycle: Contender
}

export async function openBoss(url: string): Promise<Boss> {
  // Schedules, monitoring and maintenance are left out: they would only take from its time.
  const boss = new PgBoss({
    connectionString: url,
    max: POOL_SIZE,
    schedule: false,
    supervise: false,
  })
  boss.on("error", (error) => {
    throw error
  })
  await boss.start()
  await boss.createQueue(QUEUE)
  const send = () => boss.send(QUEUE, SAMPLE_REQUEST)

  const settle = createSettling(boss)
  return {
    send: { work: send },
    lifecycle: {
      async work() {
        const id = randomUUID()
        const settled = settle.expect(id)
        await boss.send(QUEUE, SAMPLE_REQUEST, { id })
        await Promise.all([settled, settle.drain()])
      },
    },
    bulkLifecycle: {
      tasksPerUnit: BULK,
      callers: IN_FLIGHT / BULK,
      async work() {
        await boss.insert(
          QUEUE,
          Array.from({ length: BULK }, () => ({ data: SAMPLE_REQUEST })),
        )
        // A fetch may get fewer than it asks for, or none, while others lock the jobs it looks at.
        for (let left = BULK; left > 0;) {
          const jobs = await boss.fetch(QUEUE, { batchSize: left })
          if (jobs.length > 0) await complete(boss, jobs)
          left -= jobs.length
        }
      },
    },
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  }
}

/** Fetches and completes what was sent, and tells whoever waits for it. */
function createSettling(boss: PgBoss): {
  expect(id: string): Promise<void>
  drain(): Promise<void>
} {
  const waiting = new Map<string, () => void>()
  let draining = 0
  let isMoreSent = false

  return {
    expect: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    async drain() {
      isMoreSent = true
      // Two overlap: one fetches while the other completes.
      if (draining >= 2) return
      draining += 1
      while (isMoreSent) {
        isMoreSent = false
        const jobs = await boss.fetch(QUEUE, { batchSize: IN_FLIGHT })
        if (jobs.length === 0) continue
        isMoreSent = true
        await complete(boss, jobs)
        for (const { id } of jobs) {
          waiting.get(id)?.()
          waiting.delete(id)
        }
      }
      draining -= 1
    },
  }
}

async function complete(boss: PgBoss, jobs: readonly { readonly id: string }[]): Promise<void> {
  await boss.complete(
    QUEUE,
    jobs.map(({ id }) => id),
  )
}
