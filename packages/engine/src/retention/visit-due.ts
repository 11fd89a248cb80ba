/**
 * Visits every task that the storage lists as due, many at once. Several nodes may do so at the same time: each takes
 * a handful from a random part of the page and reads the page again, so that they rarely visit the same task.
 * Nothing is reserved, so nothing has to be freed when a node dies. A sweep visits a task at most once, whatever
 * its row says afterwards.
 */
import { isSafelightError, type StreamHead } from "@safelight/core"
import type { Context } from "../host/context.ts"

/** Tasks read at a time: several times a handful, so that two nodes seldom choose the same ones. */
const PAGE = 1_000

/** Tasks visited between two reads: few enough that other nodes have ended few of them meanwhile. */
const HANDFUL = 128

/** Tasks visited at once: each may wait seconds for a channel or a bucket that is silent. */
const VISITS = 64

/** Tasks of one sweep, whose ids it remembers; the next sweep visits the rest. */
const MOST = 100_000

export interface Visits {
  /** The first tasks that are due, the longest due first. */
  readonly find: (limit: number) => Promise<readonly StreamHead[]>
  /** A failure is logged and counted, and keeps no other task waiting. */
  readonly visit: (head: StreamHead) => Promise<void>
  /** A visit failed; resolves to whether the storage is to be asked before the next visit. */
  readonly onFailure: (error: unknown) => boolean
}

/** Resolves once all that is due was visited. Rejects where `find` does. */
export async function visitDue(context: Context, visits: Visits): Promise<void> {
  const visited = new Set<string>()
  /** Tasks at the front of the page that were visited and are still due. */
  let left = 0
  while (visited.size < MOST) {
    const limit = PAGE + left
    const heads = await visits.find(limit)
    const fresh = heads.filter(({ task }) => !visited.has(task.id))
    if (fresh.length === 0 && heads.length < limit) return
    left = heads.length - fresh.length
    // A long front is read less often, so that each task costs a bounded number of rows.
    const handful = takeAnywhere(context, fresh, Math.max(HANDFUL, left))
    await visitAll(context, visits, handful, visited)
  }
}

/** `count` tasks in a row, from a random index on, wrapping at the end. */
function takeAnywhere(
  { identifiers }: Context,
  heads: readonly StreamHead[],
  count: number,
): readonly StreamHead[] {
  if (heads.length <= count) return heads
  const start = Number.parseInt(identifiers.createSalt().slice(0, 8), 16) % heads.length
  return [...heads.slice(start), ...heads.slice(0, start)].slice(0, count)
}

async function visitAll(
  { log }: Context,
  { onFailure, visit }: Visits,
  heads: readonly StreamHead[],
  visited: Set<string>,
): Promise<void> {
  const waiting = heads.values()
  let isStopped = false

  async function visitInTurn(): Promise<void> {
    for (const head of waiting) {
      if (isStopped) return
      const { id } = head.task
      visited.add(id)
      try {
        await visit(head)
      } catch (error) {
        // A failure of a port, or a bug of ours: the other tasks are visited all the same.
        log[isSafelightError(error) ? "warn" : "error"]({ task: id, error }, "task sweep failed")
        const looksAgain = onFailure(error)
        isStopped ||= looksAgain
      }
    }
  }

  await Promise.all(Array.from({ length: Math.min(VISITS, heads.length) }, visitInTurn))
}
