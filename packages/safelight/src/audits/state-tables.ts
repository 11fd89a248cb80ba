/**
 * The tables of a state file: each column with what it takes of a task as it stood. Names are those of the rows in
 * core, in snake_case; a moment ends with `_at_ms`, and is null if there was none.
 */
import { describeFinding, toMonth, type ToldCharge, type ToldTask } from "@safelight/audit"
import { toStatus, type Artifact, type OutcomeRow } from "@safelight/core"

export type CellValue = string | number | null

export interface StateTable<Row> {
  readonly name: string
  readonly key: string
  /** By name. */
  readonly columns: Readonly<Record<string, StateColumn<Row>>>
}

export interface StateColumn<Row> {
  readonly type: "integer" | "text"
  readonly isNullable: boolean
  readonly toValue: (row: Row) => CellValue
}

export const TASKS: StateTable<ToldTask> = {
  name: "tasks",
  key: "task",
  columns: {
    task: text(({ task }) => task.id),
    account: text(({ task }) => task.account),
    model: text(({ task }) => task.model),
    status: text(({ task }) => toStatus(task)),
    state: text(({ task }) => task.state),
    created_at_ms: integer(({ task }) => task.createdAt),
    updated_at_ms: integer(({ task }) => task.updatedAt),
    finished_at_ms: orNull("integer", ({ task }) => task.finishedAt || null),
    end_by_ms: integer(({ task }) => task.endBy),
    attempt: integer(({ task }) => task.attempt),
    channel: orNull("text", ({ task }) => task.dispatch?.channel ?? null),
    progress: integer(({ task }) => task.progress),
    error_code: orNull("text", ({ task }) => task.error?.code ?? null),
    parameters: text(({ task }) => JSON.stringify(task.parameters)),
    commitment: text(({ task }) => task.commitment),
    definition: orNull("text", ({ task }) => task.definition ?? null),
    price_version: text(({ task }) => task.priceVersion),
    reservation_micros: integer(({ task }) => task.reservationMicros),
    charge_micros: integer(({ task }) => task.chargeMicros),
    version: integer(({ event }) => event.version),
    hash: text(({ event }) => event.hash),
  },
}

export const ARTIFACTS: StateTable<Artifact> = {
  name: "artifacts",
  key: "task, position",
  columns: {
    task: text(({ task }) => task),
    position: integer(({ position }) => position),
    key: text(({ key }) => key),
    type: text(({ type }) => type),
    mime_type: text(({ mimeType }) => mimeType),
    bytes: integer(({ bytes }) => bytes),
    duration_ms: orNull("integer", ({ durationMs }) => durationMs),
    sha256: text(({ sha256 }) => sha256),
    locator: text(({ locator }) => locator),
    expires_at_ms: integer(({ expiresAt }) => expiresAt),
  },
}

export const CHARGES: StateTable<ToldCharge> = {
  name: "charges",
  key: "task",
  columns: {
    task: text(({ task }) => task),
    account: text(({ account }) => account),
    model: text(({ model }) => model),
    charged_at_ms: integer(({ at }) => at),
    month: text(({ at }) => toMonth(at)),
    price_version: text(({ priceVersion }) => priceVersion),
    price_digest: orNull("text", ({ price }) => price.digest),
    images: integer(({ images }) => images),
    output_video_ms: integer(({ outputVideoMs }) => outputVideoMs),
    billed_input_ms: integer((charge) => charge.billedInputMs),
    output_audio_ms: integer(({ outputAudioMs }) => outputAudioMs),
    characters: integer(({ characters }) => characters),
    tokens: integer(({ tokens }) => tokens),
    charge_micros: integer(({ chargeMicros }) => chargeMicros),
    event_version: integer(({ event }) => event.version),
    event_hash: text(({ event }) => event.hash),
    finding: orNull("text", ({ finding }) => finding && describeFinding(finding)),
  },
}

export const OUTCOMES: StateTable<OutcomeRow> = {
  name: "outcomes",
  key: "task, attempt",
  columns: {
    task: text(({ task }) => task),
    attempt: integer(({ attempt }) => attempt),
    channel: text(({ channel }) => channel),
    model: text(({ model }) => model),
    outcome: text(({ outcome }) => outcome),
    dispatched_at_ms: integer(({ dispatchedAt }) => dispatchedAt),
    ended_at_ms: integer(({ at }) => at),
    charge_micros: integer(({ chargeMicros }) => chargeMicros),
    cost_micros: integer(({ costMicros }) => costMicros),
    cost_source: text(({ costSource }) => costSource),
  },
}

function text<Row>(toValue: (row: Row) => string): StateColumn<Row> {
  return { type: "text", isNullable: false, toValue }
}

function integer<Row>(toValue: (row: Row) => number): StateColumn<Row> {
  return { type: "integer", isNullable: false, toValue }
}

function orNull<Row>(
  type: StateColumn<Row>["type"],
  toValue: (row: Row) => CellValue,
): StateColumn<Row> {
  return { type, isNullable: true, toValue }
}
