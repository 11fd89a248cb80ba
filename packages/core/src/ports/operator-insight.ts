/**
 * What an operator is shown of a whole service: channels, money, the process and its database, and audits. It
 * covers every account, so a front end asks for an operator's key first. Errors are those of `TaskStorage`;
 * figures may be up to a minute old. Each change is recorded, before it is made, with `changedBy`: the id of the
 * operator's key.
 */
import type { Json } from "../values/canonical-json.ts"
import type { StoredEvent } from "../task/stored-event.ts"
import type { Task, TaskState } from "../task/task.ts"
import type { Backlog, ChannelHour, DatabaseFacts, OutcomeGrouping } from "./insight-storage.ts"
import type { Cancellation, EventPage, ListResult } from "./task-service.ts"
import type { OperatorChangePage, OperatorChangesRequest } from "./operator-change-storage.ts"
import type { OperatorAccounts } from "./operator-accounts.ts"
import type { ChannelTrouble } from "./channel-trouble.ts"
import type { EventRange, ListRequest } from "./task-storage.ts"

export interface OperatorInsight {
  readonly channels: OperatorChannels
  readonly usage: OperatorUsage
  readonly system: OperatorSystem
  readonly audits: OperatorAudits
  readonly tasks: OperatorTasks
  readonly accounts: OperatorAccounts
  readonly changes: OperatorChanges
}

export interface OperatorChanges {
  /** What operators changed, newest first. */
  listChanges(request: OperatorChangesRequest): Promise<OperatorChangePage>
}

export interface OperatorTasks {
  /** With `account` as `TaskService.listTasks`; without it, and then without labels and moments, of all accounts. */
  listTasks(request: OperatorListRequest): Promise<ListResult>
  findTask(id: string): Promise<Task | undefined>
  /** What the hashes of a task's events cover, a page of them; undefined for an unknown task. No input is among it. */
  listStoredEvents(id: string, range: EventRange): Promise<EventPage<StoredEvent> | undefined>
  /** As `TaskService.cancel`. */
  cancelTask(id: string, changedBy: string): Promise<Cancellation | undefined>
  /**
   * Says what became of a task in doubt, as a person learnt from the provider: it has the operation `adopt`, JSON or
   * plain text as the provider shows it, or with `fail` none, and the task fails uncharged. Any other task stays as
   * it is.
   */
  resolveTask(
    request: TaskVerdict,
    changedBy: string,
  ): Promise<ResolveResult | { readonly kind: "no-operation" }>
}

export interface OperatorListRequest extends Omit<ListRequest, "account"> {
  readonly account?: string
}

export type TaskVerdict = { readonly task: string } & (
  | { readonly adopt: string }
  | { readonly fail: true }
)

/** A verdict whose operation was read. */
export type ResolveRequest = { readonly task: string } & (
  | { readonly adopt: Json }
  | { readonly fail: true }
)

export type ResolveResult =
  | { readonly kind: "resolved"; readonly task: Task }
  | { readonly kind: "unknown-task" }
  /** The task is not in doubt. */
  | { readonly kind: "not-doubtful"; readonly state: TaskState }

export interface OperatorChannels {
  /** Those of the configuration in its order, then others that the database knows, by name. */
  listChannels(): Promise<readonly ChannelView[]>
  /**
   * Gives the channel no new tasks, on any node; those that it has continue. Durable once resolved; twice is the same
   * as once. Undefined if neither the configuration nor the database knows the channel.
   */
  pauseChannel(channel: string, changedBy: string): Promise<ChannelStanding | undefined>
  /** Ends a pause, if there is one; otherwise as `pauseChannel`. */
  resumeChannel(channel: string, changedBy: string): Promise<ChannelStanding | undefined>
  /**
   * Asks the provider whether key, address and models are good, and buys nothing. One call a channel is under way
   * at a time: callers that ask during it get its answer. Undefined if the configuration has no such channel.
   */
  checkChannel(channel: string): Promise<ChannelCheckReport | undefined>
}

export interface ChannelStanding {
  readonly channel: string
  /** `draining`: paused, with tasks in flight. */
  readonly state: "open" | "paused" | "draining"
  /** Milliseconds; 0 if it is open. */
  readonly pausedAt: number
  /** Tasks, over all nodes. */
  readonly inFlight: number
}

export interface ChannelView extends ChannelStanding {
  /** Null, like the next members, if it is not in the configuration. */
  readonly type: string | null
  readonly tier: number | null
  readonly weight: number | null
  readonly models: readonly string[] | null
  /** The provider's own ids of those that the operator maps to one. */
  readonly upstreams?: Readonly<Record<string, string>>
  /** What it takes at once; null if this process does not have it. */
  readonly limits: ChannelLimits | null
  /** Why this configuration does not serve it; null if it does. */
  readonly leftOut: string | null
  /** How many processes have its breaker open, since it failed several times in a row. */
  readonly leftAloneBy: number
  /** What its running processes need the operator for, each reason and host once, the oldest first. */
  readonly troubles: readonly ChannelTrouble[]
  /** Of the last 24 hours, the one under way included. Empty if nothing ended. */
  readonly hours: readonly ChannelHour[]
}

export interface ChannelLimits {
  readonly concurrency: number
  /** Null for any number. */
  readonly requestsPerMinute: number | null
}

export interface ChannelCheckReport {
  readonly channel: string
  /** The type, or the path of the module. */
  readonly type: string
  /** Null if the channel was not checked, or its answer does not tell. */
  readonly key: "taken" | "refused" | "unproved" | "none" | null
  /** In words for people; empty if all is well. */
  readonly problems: readonly string[]
  /** What it lacks although it serves; absent if it lacks nothing. */
  readonly notes?: readonly string[]
}

export interface OperatorUsage {
  /** What tasks were charged and cost that a channel ended in a period. */
  sumUsage(request: OperatorUsageRequest): Promise<OperatorUsageReport>
}

export interface OperatorUsageRequest {
  readonly by: OutcomeGrouping
  /** Of this account alone. */
  readonly account?: string
  /** Milliseconds, inclusive. */
  readonly from: number
  /** Milliseconds, exclusive. */
  readonly to: number
}

export interface OperatorUsageReport {
  /** In the order of `InsightStorage.groupOutcomes`. */
  readonly rows: readonly OperatorUsageRow[]
  /** Whether there were more than are listed. */
  readonly hasMore: boolean
}

/** Money in micro-units. */
export interface OperatorUsageRow {
  /** `2026-11-23` for a day, otherwise the name. */
  readonly name: string
  readonly succeeded: number
  readonly failed: number
  readonly chargeMicros: number
  /** US dollars: what providers said, and the rest by unit prices. */
  readonly costMicros: number
  /** Attempts whose cost is unknown: then the margin is at most what is shown. */
  readonly unknownCosts: number
  readonly marginMicros: number
}

export interface OperatorSystem {
  readSystem(): Promise<SystemFacts>
}

export interface SystemFacts {
  /** Of this package, and of Node. */
  readonly versions: { readonly service: string; readonly node: string }
  readonly database: DatabaseFacts
  /** What the process does. */
  readonly role: "all" | "api" | "worker"
  /** When this process started, ms. */
  readonly startedAt: number
  readonly queue: Backlog & { readonly oldestWaitingMs: number }
  readonly commits: CommitFacts
  /** Processes that work on tasks, or did until just now, the longest running first. */
  readonly nodes: readonly NodeView[]
  readonly eventLoop: EventLoopFacts
  readonly memory: MemoryFacts
}

/** Of this process, of its newest commits; times in ms, 0 without any. */
export interface CommitFacts {
  /** How far back they go. */
  readonly periodMs: number
  readonly batches: number
  readonly failedBatches: number
  /** Changes a batch; of those that were committed, like the times. */
  readonly meanSize: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface NodeView {
  readonly lease: string
  /** Null, like the next ones, if an older release runs there, or the lease is not registered. */
  readonly host: string | null
  readonly role: string | null
  /** Milliseconds, by the deployment's clock. */
  readonly startedAt: number | null
  readonly heartbeatAt: number | null
  /** Tasks that it holds. */
  readonly inFlight: number
}

/** How late the event loop was, ms, since it was last asked, at least a moment ago. */
export interface EventLoopFacts {
  readonly periodMs: number
  readonly meanDelayMs: number
  readonly p99DelayMs: number
  readonly maxDelayMs: number
}

export interface MemoryFacts {
  readonly residentBytes: number
  readonly heapUsedBytes: number
  readonly externalBytes: number
}

export interface OperatorAudits {
  /**
   * Begins an audit of the whole log. Undefined if one runs in this process: there is one at a time. `onEnd` is
   * called if the service stops meanwhile.
   */
  begin(kind: "verify" | "replay", onEnd: () => void): RunningAudit | undefined
}

export interface RunningAudit {
  /**
   * Reads one page more, and tells how far it is; the last message is the report. Undefined from then on, or once it
   * has ended. Rejects only with a fault of the program, and has ended then.
   */
  next(): Promise<AuditMessage | undefined>
  /** Reads no more, and lets another begin. Safe to call twice. */
  end(): void
}

export type AuditMessage =
  | { readonly kind: "progress"; readonly progress: AuditCounts }
  | { readonly kind: "report"; readonly report: AuditSummary }

export interface AuditCounts {
  readonly tasks: number
  readonly events: number
  readonly findingCount: number
}

export interface AuditSummary extends AuditCounts {
  readonly outcome: "whole" | "differs" | "could-not-tell"
  /** Rows of another release's projection, which are not compared. */
  readonly foreignRows: number
  /** What the log charges, micro-units. */
  readonly chargeMicros: number
  /** The first of them. */
  readonly findings: readonly AuditFindingView[]
}

export interface AuditFindingView {
  readonly kind: string
  /** Null if it is of no task. */
  readonly task: string | null
  readonly version: number | null
  /** For people. */
  readonly words: string
}
