/**
 * The process, its database and the queue, as an operator is shown them. The database is asked once a moment,
 * however many ask; what this process knows of itself is of now.
 */
import type {
  Backlog,
  Clock,
  DatabaseFacts,
  NodeView,
  OperatorSystem,
  Storage,
  SystemFacts,
} from "@safelight/core"
import { createKeptAnswer } from "../answers/kept-answer.ts"
import { listNodes } from "./list-nodes.ts"

/** Of a page that asks every few seconds, in several windows. */
const FRESH_MS = 2_000
/** Counting 300,000 waiting tasks took SQLite 0.15 s; it waits for other sums, which may take seconds. */
const PATIENCE_MS = 10_000
/** The accounts that most tasks wait for. */
const MOST_ACCOUNTS = 5

/** What only the process itself knows. */
export type ProcessFacts = Omit<SystemFacts, "database" | "nodes" | "queue">

export interface SystemOptions {
  readonly storage: Storage
  readonly clock: Pick<Clock, "monotonicNow" | "now" | "wait">
  readonly readProcess: () => ProcessFacts
}

interface Asked {
  readonly backlog: Backlog
  readonly database: DatabaseFacts
  readonly nodes: readonly NodeView[]
}

export function createSystem({ clock, readProcess, storage }: SystemOptions): OperatorSystem {
  const kept = createKeptAnswer<Asked>({
    name: "the database",
    clock,
    freshMs: FRESH_MS,
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
      const sinceMs = backlog.oldestAt === null ? 0 : clock.now() - backlog.oldestAt
      const queue = { ...backlog, oldestWaitingMs: Math.max(0, sinceMs) }
      return { ...readProcess(), database, queue, nodes }
    },
  }
}
