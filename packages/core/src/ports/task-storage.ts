/**
 * What carrying out tasks asks of a database: the log with its read models, the queue, and what is kept
 * of accounts and channels. A host's own database implements this much; keys, links and audits ask for
 * more (`Storage`). Task ids are any text of up to 200 characters without U+0000. Every change of a task
 * is one `append` with the event it expects to be the newest; that is the only fence there is (design §4).
 */
import type { ArtifactRow, Changes } from "../task/projection.ts"
import type { StoredEvent } from "../task/stored-event.ts"
import type { Task, TaskStatus } from "../task/task.ts"
import type { AccountStorage } from "./account-storage.ts"
import type { IdempotencyUse, Input } from "./side-records.ts"
import type { ChannelStorage } from "./channel-storage.ts"
import type { DeploymentStorage } from "./deployment-storage.ts"
import type { QueueChange, QueueStorage } from "./queue-storage.ts"
import type { StreamHead } from "./stream-head.ts"

export interface TaskStorage
  extends
    TaskLog,
    QueueStorage,
    Pick<AccountStorage, "findAccount" | "readTotals" | "sumCharges">,
    Pick<ChannelStorage, "listPausedChannels">,
    Pick<DeploymentStorage, "agreeOnSecret" | "readDeployment"> {}

/** The events of tasks, the rows that they make, and what people wrote. */
export interface TaskLog {
  /**
   * Adds events to one task and changes its derived rows, all or nothing; durable once resolved,
   * and every later read sees it. Appends that wait together are committed together. Rejects with
   * `version-conflict` where the newest event of the task is not the expected one (nothing is stored; others of
   * the same commit are), `storage-unavailable` where the database refuses or is full. The same
   * append twice resolves twice and is stored once.
   */
  append(append: Append): Promise<void>
  /**
   * Appends a task's first events unless its idempotency key was used before, or the account has
   * no room for it; judged in the order of arrival, in the same commit: the key, then the budget,
   * then the bound on unfinished tasks. What is not admitted leaves its key unused. Fails as
   * `append` does, and then may be stored all the same, unless the error says `isUndone`. What was
   * admitted once is admitted again, and stored once.
   */
  admit(request: AdmitRequest): Promise<Admission>
  /**
   * Forgets idempotency keys used before a moment, the oldest first and at most `limit` of them;
   * resolves to how many.
   */
  forgetIdempotency(request: {
    readonly usedBefore: number
    readonly limit: number
  }): Promise<number>
  /** The task as its newest event left it, or undefined. */
  readTask(id: string): Promise<StreamHead | undefined>
  /**
   * An account's tasks, newest first, by `createdAt`, then by id in the order of its bytes. Looks
   * at a bounded number of tasks, so that a filter which few tasks pass can't hold a storage up: a
   * page may be shorter than `limit`, or empty, and not be the last. Followed to its end, the list
   * shows every task once that passed the filter all the while, also where tasks are added
   * meanwhile: those it may miss.
   */
  listTasks(request: ListRequest): Promise<ListPage>
  /** What the artifact endpoints read, in order; none for an unknown task. */
  readArtifacts(task: string): Promise<readonly ArtifactRow[]>
  /** A task's events, oldest first. */
  readEvents(task: string): Promise<readonly StoredEvent[]>
  /** What a person wrote or sent, by name; undefined once erased. */
  readInput(request: { readonly task: string; readonly name: string }): Promise<Input | undefined>
  /**
   * Erases every input of a task for good, and its idempotency key unless that is kept; the log, its
   * hashes and the read models stay as they are. Resolves to whether there was an input.
   */
  eraseInputs(task: string, options?: { readonly keepsIdempotency: boolean }): Promise<boolean>
  /**
   * The database server's clock, ms since the epoch, an integer; what several processes share judges
   * ends, expiry and keys by it. Absent where one host is all there is: its own clock is the database's.
   * Rejects with `storage-unavailable`.
   */
  readClock?(): Promise<number>
}

/** Every member that is there has to hold of a task. */
export interface ListRequest {
  readonly account: string
  /** Milliseconds, inclusive. */
  readonly createdAfter?: number
  /** Milliseconds, exclusive. */
  readonly createdBefore?: number
  readonly status?: TaskStatus
  readonly model?: string
  /** Where the page before ended; absent: from the newest task. */
  readonly after?: TaskPosition
  /** At least 1. */
  readonly limit: number
}

/** A place in the list of tasks, which neither ever changes nor needs a task to be there. */
export interface TaskPosition {
  readonly createdAt: number
  readonly id: string
}

export interface ListPage {
  readonly tasks: readonly Task[]
  /** Where to go on; null at the end. */
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
  readonly inputs?: readonly Input[]
  /** What becomes of the task's place in the queue; absent: it stays. */
  readonly queue?: QueueChange
}

export interface AdmitRequest {
  readonly append: Append
  readonly idempotency?: IdempotencyUse
}

export type Admission =
  | { readonly kind: "admitted" }
  /** The key stands for this task already. */
  | { readonly kind: "known"; readonly task: string; readonly fingerprint: string }
  | { readonly kind: "refused"; readonly limit: "budget" | "unfinished-tasks" }
