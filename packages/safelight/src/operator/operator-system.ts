/**
 * The process, its database and the queue, as an operator is shown them. The database is asked once a moment,
 * however many ask; what this process knows of itself is of now.
 */
import { memoryUsage, version as nodeVersion } from "node:process"
import type {
  Backlog,
  Clock,
  DatabaseFacts,
  NodeView,
  OperatorSystem,
  Storage,
} from "@safelight/core"
import { createKeptAnswer } from "../kept-answer.ts"
import type { EventLoopDelay } from "./event-loop-delay.ts"
import { listNodes } from "./list-nodes.ts"
import type { RecentCommits } from "./recent-commits.ts"

/** Of a page that asks every few seconds, in several windows. */
const BELIEVED_MS = 2_000
/** Counting 300,000 waiting tasks took SQLite 0.15 s; it waits for other sums, which may take seconds. */
const PATIENCE_MS = 10_000
/** The accounts that most tasks wait for. */
const MOST_ACCOUNTS = 5

export interface OperatorSystemOptions {
  readonly storage: Pick<
    Storage,
    "countHeld" | "describeDatabase" | "listLeases" | "measureBacklog"
  >
  readonly clock: Pick<Clock, "monotonicNow" | "now" | "wait">
  readonly commits: RecentCommits
  readonly eventLoop: EventLoopDelay
  readonly serviceVersion: string
  readonly role: string
  readonly startedAt: number
}

interface Asked {
  readonly backlog: Backlog
  readonly database: DatabaseFacts
  readonly nodes: readonly NodeView[]
}

export function createOperatorSystem(options: OperatorSystemOptions): OperatorSystem {
  const { clock, commits, eventLoop, role, serviceVersion, startedAt, storage } = options
  const kept = createKeptAnswer<Asked>({
    name: "the database",
    clock,
    believedMs: BELIEVED_MS,
    patienceMs: PATIENCE_MS,
    async question() {
      const [backlog, database, nodes] = await Promise.all([
        storage.measureBacklog({ accounts: MOST_ACCOUNTS }),
        storage.describeDatabase(),
        listNodes(storage),
      ])
      return { backlog, database, nodes }
    },
  })
  return {
    async readSystem() {
      const { backlog, database, nodes } = await kept.ask()
      const { external, heapUsed, rss } = memoryUsage()
      const sinceMs = backlog.oldestAt === null ? 0 : clock.now() - backlog.oldestAt
      return {
        versions: { service: serviceVersion, node: nodeVersion },
        database,
        role,
        startedAt,
        queue: { ...backlog, oldestWaitingMs: Math.max(0, sinceMs) },
        commits: commits.read(),
        nodes,
        eventLoop: eventLoop.read(),
        memory: { residentBytes: rss, heapUsedBytes: heapUsed, externalBytes: external },
      }
    },
  }
}
