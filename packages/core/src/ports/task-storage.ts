/**
 * What carrying out tasks asks of a database: the log with its read models, the queue, and what is kept
 * of accounts and channels. A host's own database implements this much; keys, links and audits ask for
 * more (`Storage`). Task ids are any text of up to 200 characters without U+0000. Every change of a task
 * is one `append` with the event it expects to be the newest; that is the only fence there is (design §4).
 *
 * Every method of every part of the storage may reject with `storage-unavailable` if the database does
 * not answer, refuses or is closed, with `storage-corrupt` if it holds what this code can't read, and
 * with `overloaded` if too much waits already: then nothing was done. `isUndone` of the error says that
 * surely nothing of a write was stored. A method's own comment names the errors beyond these three.
 */
import type { Labels } from "../labels/labels.ts"
import type { Changes } from "../task/projection.ts"
import type { StoredEvent } from "../task/stored-event.ts"
import type { Task, TaskStatus } from "../task/task.ts"
import type { AccountStorage } from "./account-storage.ts"
import type { IdempotencyUse, Input } from "./side-records.ts"
import type { ChannelStorage } from "./channel-storage.ts"
import type { DeploymentStorage } from "./deployment-storage.ts"
import type { FeedStorage } from "./feed-storage.ts"
import type { DefinitionStorage } from "./definition-storage.ts"
import type { InsightStorage } from "./insight-storage.ts"
import type { JudgedMomentStorage } from "./judged-moment-storage.ts"
import type { QueueChange, QueueStorage } from "./queue-storage.ts"
import type { StreamHead } from "./stream-head.ts"

export interface TaskStorage
  extends
    TaskLog,
    QueueStorage,
    Pick<AccountStorage, "findAccount" | "readTotals" | "sumCharges">,
    Pick<ChannelStorage, "listPausedChannels">,
    Pick<InsightStorage, "sumHours">,
    DeploymentStorage,
    DefinitionStorage,
    JudgedMomentStorage,
    FeedStorage {}

/** The events of tasks, the rows that they make, and what people wrote. */
export interface TaskLog {
  /**
   * Adds events to one task and changes its derived rows, all or nothing; durable once resolved,
   * and every later read sees it. Appends that wait together are committed together. Rejects with
   * `version-conflict` if the newest event of the task is not the expected one: nothing of this append
   * is stored, and others of the same commit are. The same append twice resolves twice and is stored once.
   */
  append(append: Append): Promise<void>
  /**
   * Appends a task's first events unless its idempotency key was used before, or the account has
   * no room for it. That is judged in the order of arrival, in the same commit: the key, then the
   * budget, then the limit of unfinished tasks. A task that is not admitted leaves its key unused.
   * Rejects with `outcome-unknown` if the write was sent and nothing tells whether it was stored; after
   * any other error without `isUndone` the task may be stored as well. A task that was admitted once is
   * admitted again, and stored once.
   */
  admit(request: AdmitRequest): Promise<Admission>
  /** What the account's idempotency key stands for; undefined if it is unused or forgotten. */
  findIdempotency(request: IdempotencyRequest): Promise<IdempotentTask | undefined>
  /**
   * Forgets idempotency keys used before a moment, the oldest first and at most `limit` of them;
   * resolves to how many.
   */
  forgetIdempotency(request: {
    readonly usedBefore: number
    readonly limit: number
  }): Promise<number>
  /** The task as its newest event left it; undefined for an unknown one. */
  readTask(id: string): Promise<StreamHead | undefined>
  /**
   * An account's tasks, newest first, by `createdAt`, then by id: UUIDs in the order of their bytes. Looks
   * at a limited number of tasks, so that a filter which few tasks pass can't hold a storage up: a
   * page may be shorter than `limit`, or empty, and not be the last. A reader who follows the list to
   * its end sees every task once that passed the filter all the while. Tasks that are added meanwhile
   * may be missing.
   */
  listTasks(request: ListRequest): Promise<ListPage>
  /** A task's events, oldest first: all of them, or those of a page. */
  readEvents(task: string, page?: EventRange): Promise<readonly StoredEvent[]>
  /** What a person wrote or sent, by name; undefined once erased. */
  readInput(request: { readonly task: string; readonly name: string }): Promise<Input | undefined>
  /**
   * The bodies of the requests of at most 100 tasks, by task, in one read. Those that are erased, or larger than
   * `mostBytes`, are missing.
   */
  readRequests(request: ReadRequests): Promise<ReadonlyMap<string, string>>
  /** What the task was labelled with; none once these are erased too, and for an unknown task. */
  readLabels(task: string): Promise<Labels>
  /**
   * Erases every input of a task for good, and the names that its account gave it unless these are kept: its
   * labels and its idempotency key. The log, its hashes and the read models stay as they are. Resolves to
   * whether there was anything to erase.
   */
  eraseInputs(task: string, options?: { readonly keepsNames: boolean }): Promise<boolean>
  /**
   * The database server's clock, ms since the epoch, an integer. Processes that share a database judge
   * ends, expiry and keys by it. Absent if one host is all there is: its own clock is the database's.
   */
  readClock?(): Promise<number>
}

export interface ReadRequests {
  readonly tasks: readonly string[]
  /** Of one body, in UTF-8. */
  readonly mostBytes: number
}

/** A part of a task's log. */
export interface EventRange {
  /** The version before the first event; 0 for the log's beginning. */
  readonly after: number
  /** The most events. */
  readonly limit: number
}

/** A task is listed if every member that is present holds of it. */
export interface ListRequest {
  readonly account: string
  /** Milliseconds, inclusive. */
  readonly createdAfter?: number
  /** Milliseconds, exclusive. */
  readonly createdBefore?: number
  readonly status?: TaskStatus
  readonly model?: string
  /** Every one of them; none is as good as absent. */
  readonly labels?: Labels
  /** Where the page before ended; absent: from the newest task. */
  readonly after?: TaskPosition
  /** At least 1. */
  readonly limit: number
}

/** A position in the list of tasks: it never changes, and no task needs to be there. */
export interface TaskPosition {
  readonly createdAt: number
  readonly id: string
}

export interface ListPage {
  readonly tasks: readonly Task[]
  /** Where the next page begins; null at the end. */
  readonly next: TaskPosition | null
}

export interface Append {
  readonly task: string
  /** 0 for a new task. */
  readonly expectedVersion: number
  /**
   * The hash of the event at `expectedVersion`; absent for a new task. It is what the fence compares: in
   * a database that went back in time another event may have taken the version.
   */
  readonly expectedHash?: string
  readonly events: readonly StoredEvent[]
  readonly changes: Changes
  /** The task after the events, as `changes` have it: a reader of its feed here need not read it again. */
  readonly state?: Task
  readonly inputs?: readonly Input[]
  /** Of a new task alone. */
  readonly labels?: Labels
  /** How the append changes the task's entry in the queue; absent: not at all. */
  readonly queue?: QueueChange
}

export interface AdmitRequest {
  readonly append: Append
  readonly idempotency?: IdempotencyUse
}

export interface IdempotencyRequest {
  readonly account: string
  readonly key: string
}

export interface IdempotentTask {
  readonly task: string
  readonly fingerprint: string
}

export type Admission =
  | { readonly kind: "admitted" }
  /** The key stands for this task already. */
  | ({ readonly kind: "known" } & IdempotentTask)
  | { readonly kind: "refused"; readonly limit: "budget" | "unfinished-tasks" }
