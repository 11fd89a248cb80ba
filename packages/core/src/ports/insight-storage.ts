/**
 * What a person who runs the service asks of the database: figures of channels, money, queue and nodes. They
 * are read on another connection than look-ups, never in their way, and describe every account: no answer of it may
 * reach a customer. Errors are those of `TaskStorage`; every method but `listAllTasks` rejects with `overloaded` if
 * too many sums wait.
 */
import type { Task, TaskStatus } from "../task/task.ts"
import type { OutcomesRequest } from "./channel-storage.ts"

export interface InsightStorage {
  /**
   * How attempts ended in a period, and what they cost, by day, model, channel or account: days in their order,
   * others by what accounts were charged, the most first, and then by name in the order of its bytes. At most
   * `limit` groups.
   */
  groupOutcomes(request: OutcomeGroupsRequest): Promise<readonly OutcomeGroup[]>
  /**
   * The same by channel and hour, in the order of the bytes of channels and then of hours; hours without an
   * end are left out.
   */
  listChannelHours(period: OutcomesRequest): Promise<readonly ChannelHour[]>
  /**
   * Has the outcomes of hours that ended before `endedBefore` (ms) summed and kept, at most `limit` of them and the newest
   * first, so that the sums above need not read them. It changes no answer, whenever it is called and whatever is
   * appended meanwhile or later. Resolves to the number of hours that were not summed.
   */
  sumHours(request: { readonly endedBefore: number; readonly limit: number }): Promise<number>
  /** Forgets the sums that are kept: they are made from the outcomes again. */
  forgetSums(): Promise<void>
  /** What waits in the queue, and for which accounts most of it: at most `accounts` of them. */
  measureBacklog(request: { readonly accounts: number }): Promise<Backlog>
  /** How many tasks are held under each lease, registered or not; none for a lease without a task. */
  countHeld(): Promise<ReadonlyMap<string, number>>
  /**
   * Tasks of all accounts, the newest first: by id, UUIDs in the order of their bytes. It looks at a limited number of
   * tasks, as `TaskStorage.listTasks` does: a page may be short, or empty, and not be the last.
   */
  listAllTasks(request: AllTasksRequest): Promise<AllTasksPage>
  /** The database program, and the schema that the database has. */
  describeDatabase(): Promise<DatabaseFacts>
}

export interface AllTasksRequest {
  readonly status?: TaskStatus
  readonly model?: string
  /** The id of the last task of the page before. */
  readonly after?: string
  readonly limit: number
}

export interface AllTasksPage {
  readonly tasks: readonly Task[]
  /** For the page behind; null at the end. */
  readonly next: string | null
}

/** Days are of UTC. */
export const OUTCOME_GROUPINGS = ["day", "model", "channel", "account"] as const

export type OutcomeGrouping = (typeof OUTCOME_GROUPINGS)[number]

export interface OutcomeGroupsRequest extends OutcomesRequest {
  readonly by: OutcomeGrouping
  /** Of this account's tasks alone. */
  readonly account?: string
  readonly limit: number
}

/** Sums of `OutcomeRow`s; money in micro-units. */
export interface OutcomeSums {
  /** Tasks. */
  readonly succeeded: number
  readonly failed: number
  /** Attempts that were billed, and after which the task went on. */
  readonly deferred: number
  /** What accounts were charged for them. */
  readonly chargeMicros: number
  /** What providers said they charged, if they said it in money. */
  readonly toldMicros: number
  /** The rest, by unit prices. */
  readonly computedMicros: number
  /** Attempts that were billed, or may have been, and whose cost is unknown. */
  readonly unknown: number
}

export interface OutcomeGroup extends OutcomeSums {
  /** `2026-11-23` for a day, otherwise the name. */
  readonly name: string
}

export interface ChannelHour extends OutcomeSums {
  readonly channel: string
  /** When the hour begins, ms; hours are of UTC. */
  readonly hourAt: number
  /**
   * From the dispatch to the end, of those that succeeded: at least half of them, or 95 in 100, took no longer.
   * Null if none succeeded.
   */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export interface Backlog {
  /** Never dispatched, and nobody holds them. */
  readonly newTasks: number
  /** Begun, and nobody holds them; their moment may be to come. */
  readonly dueTasks: number
  readonly heldTasks: number
  /**
   * Since when the longest waiting one of those that nobody holds could have been taken, ms; null without any. It
   * may be to come.
   */
  readonly oldestAt: number | null
  /** Those with the most tasks that nobody holds first, then by name in the order of its bytes. */
  readonly accounts: readonly { readonly account: string; readonly tasks: number }[]
}

export interface DatabaseFacts {
  /** `sqlite`, `postgresql`. */
  readonly kind: string
  /** As the database tells it. */
  readonly version: string
  /** The schema's number. */
  readonly schema: number
}
