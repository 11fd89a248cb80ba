/**
 * Read models: the rows that a task's events make. The live path, replay and import all derive
 * rows here and nowhere else, so they can be compared byte for byte.
 */
import type { AccountTotals } from "../accounts/account.ts"
import type { ArtifactKind } from "../models/artifact-kind.ts"
import { toOrderedJson } from "../values/canonical-json.ts"
import { billedInputMs } from "../money/billed-input.ts"
import { toCostFigure, type AttemptCost, type CostFigure } from "../money/cost.ts"
import { SafelightError } from "../errors/safelight-error.ts"
import type { TaskEvent, TaskEventOf } from "./events.ts"
import { toStatus, type Task, type TaskStatus } from "./task.ts"

/** The fold at `version`: what GET reads. */
export interface TaskRow {
  readonly account: string
  readonly createdAt: number
  /** 0 while unfinished. */
  readonly finishedAt: number
  /** The hash of the newest event. */
  readonly hash: string
  readonly id: string
  readonly model: string
  /** Held back until the task is finished, integer micro-units. */
  readonly reservationMicros: number
  /**
   * The whole `Task` as JSON, which `fromSnapshot` reads. Members that are as in a task before its first
   * event are left out, and those that change late stand before those that change early or never: a
   * database that compares a row with the one before writes down little more than what changed between.
   * Rows of earlier releases have the same members in another order.
   */
  readonly snapshot: string
  readonly status: TaskStatus
  readonly version: number
}

/** An artifact with the task that it is of, as the task's manifest has it. */
export interface Artifact {
  readonly bytes: number
  readonly durationMs: number | null
  /** Whether the artifact is listed without its expiry, as some older results are. */
  readonly expiryHidden: boolean
  /** Milliseconds; gone when `now >= expiresAt`, whether or not a sweep ran. */
  readonly expiresAt: number
  readonly key: string
  /** Where `ArtifactStorage` keeps the bytes. */
  readonly locator: string
  readonly mimeType: string
  /** The order of artifacts within a task, from 0. */
  readonly position: number
  readonly sha256: string
  readonly task: string
  readonly type: ArtifactKind
}

/** An item of the bill: one for each finished task that used something; it never changes. */
export interface ChargeRow {
  readonly account: string
  /** When the task finished: the period it is billed in. */
  readonly at: number
  /** Input video as billed, 0 for images (specification §8). */
  readonly billedInputMs: number
  readonly characters: number
  readonly chargeMicros: number
  readonly images: number
  readonly model: string
  readonly outputAudioMs: number
  readonly outputVideoMs: number
  readonly priceVersion: string
  readonly task: string
  readonly tokens: number
}

/**
 * How an attempt ended, and what it cost upstream: one for each attempt that ended its task, and for each
 * that was billed and deferred. A deferred attempt did not end its task, even if no other follows. An
 * outcome never changes, and no account sees it.
 */
export interface OutcomeRow {
  /** When it ended. */
  readonly at: number
  readonly attempt: number
  readonly channel: string
  /** What the account is charged. */
  readonly chargeMicros: number
  /** US dollars in micro-units; 0 if it was not reported. */
  readonly costMicros: number
  readonly costSource: CostFigure["source"]
  /** When the channel was asked. */
  readonly dispatchedAt: number
  readonly model: string
  readonly outcome: "succeeded" | "failed" | "deferred"
  readonly task: string
}

/** What an append changes in the derived tables. */
export interface Changes {
  readonly task: TaskRow
  /** A row to add. */
  readonly charge?: ChargeRow
  /** Rows to add. */
  readonly outcomes: readonly OutcomeRow[]
  /** What is added to the account's totals. */
  readonly totals?: AccountTotals
}

/** The derived rows after `events` led to `task`, whose newest event has `hash`. */
export function project(task: Task, hash: string, events: readonly TaskEvent[]): Changes {
  const hasFinished = events.some(({ type }) => type === "succeeded" || type === "failed")
  const isNew = events[0]?.type === "submitted"
  const charge = hasFinished ? toChargeRow(task) : undefined
  return {
    task: toTaskRow(task, hash),
    ...(charge && { charge }),
    outcomes: toOutcomeRows(task, events),
    ...((isNew || hasFinished) && { totals: toTotalsChange(task, isNew, hasFinished) }),
  }
}

/** The task's item of the bill; undefined if it is not finished, or used nothing. */
export function toChargeRow(task: Task): ChargeRow | undefined {
  const { usage } = task
  if (usage === null) return undefined
  return {
    account: task.account,
    at: task.finishedAt,
    billedInputMs: billedInputMs(usage.inputVideosMs),
    characters: usage.characters ?? 0,
    chargeMicros: task.chargeMicros,
    images: usage.images,
    model: task.model,
    outputAudioMs: usage.outputAudioMs ?? 0,
    outputVideoMs: usage.outputVideoMs,
    priceVersion: task.priceVersion,
    task: task.id,
    tokens: usage.tokens ?? 0,
  }
}

/**
 * The outcomes among `events`, which led to `task`. If the channel was asked before the first of them,
 * the task says which channel it was.
 */
export function toOutcomeRows(task: Task, events: readonly TaskEvent[]): OutcomeRow[] {
  const rows: OutcomeRow[] = []
  let asked = toAsked(task)
  let isOver = task.deferral !== null && !events.some(({ type }) => type === "deferred")
  for (const event of events) {
    if (event.type === "dispatched") {
      asked = toAskedAgain(event, asked)
      isOver = false
    }
    const end = toEnd(event)
    if (end === undefined || asked === undefined || isOver) continue
    isOver = event.type === "deferred"
    const { micros: costMicros, source: costSource } = toCostFigure(end.cost)
    if (end.outcome === "deferred" && costSource === "none") continue
    const { attempt, channel, dispatchedAt } = asked
    const { chargeMicros, outcome } = end
    const what = { at: event.at, attempt, channel, dispatchedAt, model: task.model, outcome }
    rows.push({ ...what, chargeMicros, costMicros, costSource, task: task.id })
  }
  return rows
}

interface Asked extends Pick<OutcomeRow, "attempt" | "channel" | "dispatchedAt"> {
  readonly upstreamKey: string
}

function toAsked({ attempt, dispatch }: Task): Asked | undefined {
  if (dispatch === null) return undefined
  const { channel, keyedAt: dispatchedAt, upstreamKey } = dispatch
  return { attempt, channel, dispatchedAt, upstreamKey }
}

/** A repeat of a key counts as asked when the key was first sent. */
function toAskedAgain({ at, data }: TaskEventOf<"dispatched">, before: Asked | undefined): Asked {
  const { attempt, channel, upstreamKey } = data
  const isRepeat = before?.upstreamKey === upstreamKey
  return { attempt, channel, dispatchedAt: isRepeat ? before.dispatchedAt : at, upstreamKey }
}

interface End {
  readonly chargeMicros: number
  readonly cost: AttemptCost
  readonly outcome: OutcomeRow["outcome"]
}

function toEnd({ data, type }: TaskEvent): End | undefined {
  switch (type) {
    case "succeeded":
    case "failed":
      return { chargeMicros: data.chargeMicros, cost: data.cost, outcome: type }
    case "deferred":
      return { chargeMicros: 0, cost: data.cost, outcome: type }
    case "submitted":
    case "dispatched":
    case "accepted":
    case "doubted":
    case "progressed":
    case "held":
    case "expired":
      return undefined
  }
}

function toTotalsChange(task: Task, isNew: boolean, hasFinished: boolean): AccountTotals {
  const tasks = Number(isNew) - Number(hasFinished)
  return {
    chargedMicros: hasFinished ? task.chargeMicros : 0,
    reservedMicros: tasks * task.reservationMicros,
    unfinishedTasks: tasks,
  }
}

/** The row of a task whose newest event has `hash`. */
export function toTaskRow(task: Task, hash: string): TaskRow {
  return {
    account: task.account,
    createdAt: task.createdAt,
    finishedAt: task.finishedAt,
    hash,
    id: task.id,
    model: task.model,
    reservationMicros: task.reservationMicros,
    snapshot: toSnapshot(task),
    status: toStatus(task),
    version: task.version,
  }
}

/** Members are named one by one: an object made by leaving members out is written three times as slowly. */
function toSnapshot(task: Task): string {
  const members = {
    // A task's end changes these.
    artifacts: task.artifacts.length === 0 ? undefined : task.artifacts,
    chargeMicros: unlessEmpty(task.chargeMicros),
    error: unlessEmpty(task.error),
    finishedAt: unlessEmpty(task.finishedAt),
    progress: unlessEmpty(task.progress),
    state: task.state,
    updatedAt: task.updatedAt,
    usage: unlessEmpty(task.usage),
    version: task.version,
    // A channel's acceptance changes this.
    operation: task.operation ?? undefined,
    // These change as channels are asked.
    attempt: unlessEmpty(task.attempt),
    deferral: unlessEmpty(task.deferral),
    dispatch: unlessEmpty(task.dispatch),
    doubt: unlessEmpty(task.doubt),
    refusedBy: task.refusedBy,
    spentAttempts: unlessEmpty(task.spentAttempts),
    // These never change.
    account: task.account,
    commitment: task.commitment,
    createdAt: task.createdAt,
    definition: task.definition,
    endBy: task.endBy,
    id: task.id,
    maxAttempts: task.maxAttempts,
    model: task.model,
    parameters: task.parameters,
    priceVersion: task.priceVersion,
    projection: task.projection,
    reservationMicros: task.reservationMicros,
  } satisfies Record<keyof Task, unknown>
  return toOrderedJson(members)
}

/** Not for what a channel gave: of that 0 and an empty text count. */
function unlessEmpty<Value extends number | string | object | null>(
  value: Value,
): Value | undefined {
  return value || undefined
}

/** What a snapshot leaves out: falsy members, and the lack of artifacts. */
const LEFT_OUT = {
  artifacts: [],
  attempt: 0,
  chargeMicros: 0,
  deferral: null,
  dispatch: null,
  doubt: null,
  error: null,
  finishedAt: 0,
  operation: null,
  progress: 0,
  spentAttempts: 0,
  usage: null,
} satisfies Partial<Task>

/** All artifacts of a task, in order; none unless it succeeded. */
export function toArtifacts(task: Task): Artifact[] {
  return task.artifacts.map((entry, position) => ({
    bytes: entry.bytes,
    durationMs: entry.durationMs,
    expiryHidden: entry.expiryHidden ?? false,
    expiresAt: entry.expiresAt,
    key: entry.key,
    locator: entry.locator,
    mimeType: entry.mimeType,
    position,
    sha256: entry.sha256,
    task: task.id,
    type: entry.type,
  }))
}

/**
 * The task that a row's snapshot holds, perhaps as another release projected it: `projection` says so,
 * and then nothing else of it may be relied on. Throws `storage-corrupt` if it is not JSON.
 */
export function fromSnapshot(snapshot: string): Task {
  try {
    return { ...LEFT_OUT, ...(JSON.parse(snapshot) as Task) }
  } catch (cause) {
    const message = "a task's snapshot is not JSON; `safelight audit replay` names it"
    throw new SafelightError({ code: "storage-corrupt", message, cause })
  }
}
