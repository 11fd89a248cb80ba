/**
 * What a front end asks of the engine: the HTTP adapter and the command line know it by this port.
 * An account sees its own tasks alone; another's is as unknown as one that never was. Every method may
 * reject with `storage-unavailable` or `storage-corrupt`, as the storage does.
 */
import type { AccountTotals } from "../accounts/account.ts"
import type { Labels } from "../labels/labels.ts"
import type { AppliedFactor } from "../money/factors.ts"
import type { UnavailableReason } from "../models/unavailable-reason.ts"
import type { ModelPrice, PriceTable } from "../money/prices.ts"
import type { Quote, QuoteTerms } from "../money/quote.ts"
import type { TaskEvent } from "../task/events.ts"
import type { Artifact } from "../task/projection.ts"
import type { Rejection } from "../task/rejection.ts"
import type { Task } from "../task/task.ts"
import type { ChargesRequest, ChargeSum } from "./account-storage.ts"
import type { ArtifactReader } from "./artifact-storage.ts"
import type { CancelOutcome } from "./channel.ts"
import type { AbortSignalLike } from "./clock.ts"
import type { EventRange, ListPage, ListRequest } from "./task-storage.ts"

export interface TaskService {
  /**
   * Accepts a task; it is durable once resolved as `submitted`. If a channel answers at once, it
   * resolves to the finished task. Rejects with `overloaded` if the engine is stopping or too many
   * submissions are under way, and with `storage-unavailable` or `storage-corrupt`: nothing was
   * accepted. Rejects with `outcome-unknown` if nothing tells whether the task was accepted: it may
   * exist, run and be charged, so only a request with an idempotency key may be sent again.
   */
  submit(request: SubmitRequest): Promise<SubmitResult>
  /**
   * Ends the task if what was bought for it can be stopped, or nothing was; otherwise it continues. Undefined if the
   * account has no task with this id. Twice is safe: the second call tells what came of the first, as far
   * as the log does, and asks a channel again if the task continues.
   */
  cancel(request: TaskRequest): Promise<Cancellation | undefined>
  /**
   * The task once it is finished, whichever process finishes it; undefined for an unknown one, of whatever
   * account. Rejects with `aborted` on the signal.
   */
  finished(id: string, options?: { readonly signal?: AbortSignalLike }): Promise<Task | undefined>
  /** The task, or undefined if the account has none with this id. */
  findTask(request: TaskRequest): Promise<Task | undefined>
  /** A page of the account's tasks, newest first; `TaskLog.listTasks` says what it promises. */
  listTasks(request: ListTasksRequest): Promise<ListResult>
  /** The task's artifacts in order, expired ones included; undefined for an unknown task. */
  findArtifacts(request: TaskRequest): Promise<FoundArtifacts | undefined>
  /**
   * The same without an account to compare: for a private link, whose signature is what opens it.
   * Nothing of the answer may be revealed before that is verified.
   */
  findLinked(task: string): Promise<FoundArtifacts | undefined>
  /**
   * Keeps the artifacts of a finished task longer, as long as the account may; undefined for an unknown task.
   * Never shortens: what is kept that long already, or was held before, stays as it is. What is kept longer is so
   * by an hour at least, and by a hundredth of what the account may hold. What has expired by now is not kept. Durable once resolved as `held`; twice is the same as once. Rejects as the storage does.
   */
  holdArtifacts(request: HoldRequest): Promise<HoldResult | undefined>
  /**
   * Opens an artifact's bytes. Rejects as `ArtifactStorage.open` does. Bytes that are read whole and are not what
   * the log says are never given whole: this, or a read, rejects with `artifacts-unavailable`.
   */
  openArtifact(request: OpenArtifactRequest): Promise<ArtifactReader>
  /** What happened to the task, oldest first: a page of it; undefined for an unknown task. */
  listEvents(request: ListEventsRequest): Promise<EventPage<TaskEvent> | undefined>
  /** What the task cost and by which price; undefined for an unknown task. */
  findUsage(request: TaskRequest): Promise<TaskUsage | undefined>
  /**
   * What the account's tasks cost that finished in a period, and what it has left. Rejects with
   * `overloaded` if too many sums wait.
   */
  sumUsage(request: ChargesRequest): Promise<UsageReport>
  /**
   * What the task would cost, checked and priced as `submit` does it. Stores and reserves nothing, and
   * doesn't look at the account's budget.
   */
  quote(request: QuoteRequest): Promise<QuoteResult>
  /**
   * The models that no process can make now, and why. One that is not among them can be made, or it is not known.
   * Never rejects for the storage's sake.
   */
  listUnavailable(): Promise<ReadonlyMap<string, UnavailableReason>>
  /**
   * What the account has spent and what is left of its budget; zeros for an account that has submitted
   * nothing. One row if the account has a budget or a limit on unfinished tasks. Otherwise it is counted over
   * the account's charges and all unfinished tasks, and a count that took long is used again: the answer may
   * be up to ten seconds old. Rejects with `overloaded` if too many sums wait.
   */
  readBalance(account: string): Promise<Balance>
  /** The table by which new tasks are priced. */
  currentPrices(): PriceTable
}

/**
 * A caller that has checked and sealed the parameters already says so with `withSealedParameters`. No
 * member says it, so that a caller's own request can't.
 */
export interface SubmitRequest {
  readonly account: string
  readonly model: string
  /** As sent; checked against the model. */
  readonly parameters: unknown
  readonly idempotency?: IdempotencyKey
  /**
   * At most `MAX_LABELS`, as `findLabelFault` allows. They are no part of what an idempotency key stands
   * for: a replay changes none.
   */
  readonly labels?: Labels
  /** How many services like this one have passed it on, up to `MAX_HOPS`; none by default. */
  readonly hops?: number
  /**
   * A task that could be charged more is refused and leaves no trace. A replay is not: its task is
   * there, at the price that it was accepted at.
   */
  readonly maxCostMicros?: number
  /** The task is charged by the prices of this quote, and at most its amount, or it is refused likewise. */
  readonly quote?: QuoteTerms
}

export type QuoteRequest = Pick<SubmitRequest, "account" | "model" | "parameters">

export type QuoteResult =
  | { readonly kind: "quoted"; readonly quote: Quote }
  | { readonly kind: "rejected"; readonly rejection: Rejection }

export interface Balance {
  /** Null if there is no budget. */
  readonly budgetMicros: number | null
  readonly reservedMicros: number
  readonly chargedMicros: number
  /** What new tasks may cost; 0 if a lowered budget is overspent, null if there is none. */
  readonly leftMicros: number | null
}

/**
 * More than any sensible chain of services has. Otherwise services that pass tasks on to each other in a
 * circle would make tasks without end.
 */
export const MAX_HOPS = 5

/**
 * The checked parameters as they are stored: what `sealParameters` makes. For callers that do the
 * work of large requests off the event loop.
 */
export interface SealedParameters {
  /** Canonical JSON. */
  readonly body: string
  /** 64 lower-case hexadecimal digits. */
  readonly commitment: string
  readonly salt: string
}

export interface IdempotencyKey {
  readonly key: string
  /** What the request was, as 64 lower-case hexadecimal digits. */
  readonly fingerprint: string
}

export type SubmitResult =
  | {
      readonly kind: "submitted"
      readonly task: Task
      /** The task of an earlier request with the same idempotency key, as it stands now. */
      readonly isReplayed: boolean
    }
  | { readonly kind: "rejected"; readonly rejection: Rejection }

export interface TaskRequest {
  readonly account: string
  readonly id: string
}

/** All of a task's log, or a page of it. */
export interface ListEventsRequest extends TaskRequest, Partial<EventRange> {}

/** Events of consecutive versions, oldest first. */
export interface EventPage<Event> {
  readonly events: readonly Event[]
  /** What `EventRange.after` has to be for the next page; null at the log's end. */
  readonly next: number | null
}

export interface Cancellation {
  /**
   * `cancelled`: no channel had the task, which failed uncharged. `stopped`: its channel has stopped the work;
   * it failed, uncharged unless the channel says that it was billed. `too-late`: it had ended, or will as its
   * channel has it; a success is charged. `unknown`: the channel can't stop the work, or does not tell, and the
   * task continues; or the task was in doubt and failed, uncharged.
   */
  readonly outcome: "cancelled" | CancelOutcome
  /** As it stands then. */
  readonly task: Task
}

export interface ListTasksRequest extends ListRequest {
  /** At most 100 tasks then. */
  readonly withPrompts?: boolean
}

export interface ListedPage extends ListPage {
  /**
   * If they were asked for: by task, the beginning of its prompt, at most 200 UTF-16 units. Missing of a task whose
   * inputs are erased, whose request is larger than 64 KiB, or whose model takes none.
   */
  readonly prompts?: ReadonlyMap<string, string>
}

export type ListResult =
  | ({ readonly kind: "listed" } & ListedPage)
  /** The request names a model that there is not; an empty list would hide the mistake. */
  | { readonly kind: "unknown-model"; readonly models: readonly string[] }

export interface FoundArtifacts {
  readonly task: Task
  readonly artifacts: readonly Artifact[]
}

export interface HoldRequest extends TaskRequest {
  /** Milliseconds. */
  readonly until: number
}

export type HoldResult =
  /** With the artifacts as they are kept now. */
  | ({ readonly kind: "held" } & FoundArtifacts)
  | { readonly kind: "refused"; readonly refusal: HoldRefusal }

export type HoldRefusal =
  | { readonly code: "not-finished" }
  /** It has no artifacts. */
  | { readonly code: "failed" }
  | { readonly code: "expired" }
  /** The account may hold nothing. */
  | { readonly code: "not-allowed" }
  /** The account may not hold them that long; `latestAt` is the last moment that it may name, ms. */
  | { readonly code: "too-long"; readonly latestAt: number }

export interface TaskUsage {
  readonly task: Task
  /** None once the task's inputs are erased. */
  readonly labels: Labels
  /** Of the task's price version; undefined if that is no longer configured. */
  readonly price: ModelPrice | undefined
  /** What the price is multiplied by, for this task. */
  readonly factors: readonly AppliedFactor[]
  /** Input video as billed, 0 while nothing was used. */
  readonly billedInputMs: number
  /** How many pictures the task is to make; null of a film, and of a model that does not tell it any more. */
  readonly imagesAsked: number | null
}

export interface UsageReport {
  /** By model and price version. */
  readonly charges: readonly ChargeSum[]
  /** Of the account as a whole, whatever the period. */
  readonly totals: AccountTotals
  /** Null if there is no budget. */
  readonly budgetMicros: number | null
}

/** The callbacks of providers. */
export interface CallbackService {
  /**
   * Takes in a callback at any node. What it proves is durable once resolved as `taken`; a callback that
   * comes twice, late or out of order changes nothing. Rejects as the storage does, and as `receive` of
   * the channel does if it can't verify the callback for now: the provider is to send it again.
   */
  receiveCallback(request: ReceiveCallbackRequest): Promise<CallbackResult>
}

export interface ReceiveCallbackRequest {
  /** The channel's name, as its address has it. */
  readonly channel: string
  /** The last part of the address. */
  readonly key: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Of the address; absent for none. */
  readonly query?: Readonly<Record<string, string>>
  /** Called at most once, and not before the key was found to be ours. */
  readonly readBody: () => Promise<Uint8Array>
}

/** `unknown`: there is no such address. `forged`: it is one, and the provider did not send this to it. */
export type CallbackResult = "taken" | "unknown" | "forged"

export interface OpenArtifactRequest {
  readonly artifact: Artifact
  readonly start?: number
  readonly end?: number
}
