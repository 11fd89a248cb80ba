/**
 * The log, its read models and the queue, behind one port. Task ids are any text of up to 200
 * characters without U+0000. Every change of a task is one `append` with the version it expects; that is the
 * only fence there is (design §4).
 */
import type { ArtifactRow, ChargeRow, Changes, TaskRow } from "../task/projection.ts"
import type { StoredEvent } from "../task/stored-event.ts"
import type { Task, TaskStatus } from "../task/task.ts"
import type { AccountStorage } from "./account-storage.ts"
import type { KeyStorage } from "./key-storage.ts"
import type { LinkStorage } from "./link-storage.ts"
import type { RateStorage } from "./rate-storage.ts"

export interface Storage extends AccountStorage, KeyStorage, LinkStorage, RateStorage {
  /**
   * Adds events to one task and changes its derived rows, all or nothing; durable once resolved,
   * and every later read sees it. Appends that wait together are committed together. Rejects with
   * `version-conflict` where the task is not at `expectedVersion` (nothing is stored; others of
   * the same commit are), `storage-unavailable` where the database refuses or is full. The same
   * append twice resolves twice and is stored once.
   */
  append(append: Append): Promise<void>
  /**
   * Appends a task's first events unless its idempotency key was used before, or the account has
   * no room for it; judged in the order of arrival, in the same commit: the key, then the budget,
   * then the bound on unfinished tasks. What is not admitted leaves its key unused. Fails as
   * `append` does. What was admitted once is admitted again, and stored once.
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
   * Erases every input of a task for good, and its idempotency key; the log, its hashes and the
   * read models stay as they are. Resolves to whether there was an input.
   */
  eraseInputs(task: string): Promise<boolean>

  /**
   * Takes up to `limit` waiting tasks of `models` whose moment has come and whose claim, if any,
   * has run out; earliest first. Each is claimed for `claim` until `until`. Two callers never get
   * the same task.
   */
  claim(request: ClaimRequest): Promise<readonly Claimed[]>
  /** Prolongs claims; resolves to the tasks among them that `claim` still holds. */
  renew(request: RenewRequest): Promise<readonly string[]>
  /** Gives claims up so that anybody may take the tasks from `dueAt` on. */
  release(request: ReleaseRequest): Promise<void>
  /** Unfinished tasks whose `endBy` has come, claimed or not. */
  findOverdue(request: DueRequest): Promise<readonly StreamHead[]>
  /** Finished tasks that retention must look at: orphans, expiry, deletion. */
  findRetained(request: DueRequest): Promise<readonly StreamHead[]>
  /** Sets when retention looks at a task again; null: never. */
  retain(request: { readonly task: string; readonly dueAt: number | null }): Promise<void>
  /** When the earliest unclaimed task may be claimed, or null. */
  nextDueAt(models: readonly string[]): Promise<number | null>

  /** Streams by task id, for audits; each page is consistent in itself. */
  scan(request: ScanRequest): Promise<ScanPage>
  /** Rejects with `storage-unavailable` where the database does not answer. */
  check(): Promise<void>
  close(): Promise<void>
}

/** A task with the hash of its newest event: what the next append builds on. */
export interface StreamHead {
  readonly task: Task
  readonly hash: string
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

/** An idempotency key as an account used it (http-decisions §7). */
export interface IdempotencyUse {
  /** Unique with the append's account. */
  readonly key: string
  /** What the request was, as 64 lower-case hexadecimal digits. */
  readonly fingerprint: string
  readonly usedAt: number
}

export type Admission =
  | { readonly kind: "admitted" }
  /** The key stands for this task already. */
  | { readonly kind: "known"; readonly task: string; readonly fingerprint: string }
  | { readonly kind: "refused"; readonly limit: "budget" | "unfinished-tasks" }

export type QueueChange =
  | {
      readonly kind: "enqueue"
      readonly dueAt: number
      readonly endBy: number
      readonly claim: ClaimTerm | null
    }
  | { readonly kind: "reschedule"; readonly dueAt: number; readonly claim: ClaimTerm | null }
  /** Leaves the queue for good; retention looks at the task at `retainAt` (null: never). */
  | { readonly kind: "finish"; readonly retainAt: number | null }

export interface ClaimTerm {
  readonly claim: string
  readonly until: number
}

/**
 * What a person or a provider wrote, beside the log and erasable (design §3). Once stored it stays
 * as it is: a second one of the same task and name changes nothing.
 */
export interface Input {
  readonly task: string
  /** `request`, or `provider:<attempt>`. */
  readonly name: string
  /** Hexadecimal; the commitment is SHA-256(salt ‖ body). */
  readonly salt: string
  /** Canonical JSON. */
  readonly body: string
}

export interface ClaimRequest extends ClaimTerm {
  readonly models: readonly string[]
  readonly now: number
  readonly limit: number
}

export interface Claimed extends StreamHead {
  readonly claim: string
}

export interface RenewRequest extends ClaimTerm {
  readonly tasks: readonly string[]
}

export interface ReleaseRequest {
  readonly claim: string
  readonly tasks: readonly string[]
  readonly dueAt: number
}

export interface DueRequest {
  readonly now: number
  readonly limit: number
}

export interface ScanRequest {
  /** Task id to go on after; the empty text to begin. */
  readonly after: string
  readonly limit: number
}

/** Everything the database holds of one task, orphaned rows included. */
export interface ScannedStream {
  readonly id: string
  readonly events: readonly StoredEvent[]
  readonly row: TaskRow | undefined
  readonly artifacts: readonly ArtifactRow[]
  readonly charge: ChargeRow | undefined
}

export interface ScanPage {
  readonly streams: readonly ScannedStream[]
  /** Where to go on; null at the end. */
  readonly next: string | null
}
