/**
 * Where SQL's snake_case meets core's rows of a task; `account-records.ts` is the other such place.
 * Reading checks nothing: what a row must say is the audit's matter.
 */
import type {
  AccountTotals,
  ArtifactRow,
  ChargeRow,
  IdempotencyUse,
  Input,
  OutcomeRow,
  StoredEvent,
  TaskRow,
} from "@safelight/core"
import type {
  AccountTotalsTable,
  ArtifactsTable,
  ChargesTable,
  EventsTable,
  IdempotencyTable,
  InputsTable,
  OutcomesTable,
  TasksTable,
} from "./database.ts"

export function toTaskRecord(row: TaskRow): Record<keyof TasksTable, string | number> {
  return {
    id: row.id,
    account: row.account,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
    hash: row.hash,
    model: row.model,
    reservation_micros: row.reservationMicros,
    snapshot: row.snapshot,
    status: row.status,
    version: row.version,
  }
}

export function fromTaskRecord(record: TasksTable): TaskRow {
  return {
    account: record.account,
    createdAt: record.created_at,
    finishedAt: record.finished_at,
    hash: record.hash,
    id: record.id,
    model: record.model,
    reservationMicros: record.reservation_micros,
    snapshot: record.snapshot,
    status: record.status as TaskRow["status"],
    version: record.version,
  }
}

export function toArtifactRecord(
  row: ArtifactRow,
): Record<keyof ArtifactsTable, string | number | null> {
  return {
    task: row.task,
    position: row.position,
    bytes: row.bytes,
    duration_ms: row.durationMs,
    expires_at: row.expiresAt,
    expiry_hidden: Number(row.expiryHidden),
    key: row.key,
    mime_type: row.mimeType,
    locator: row.locator,
    sha256: row.sha256,
    type: row.type,
  }
}

export function fromArtifactRecord(record: ArtifactsTable): ArtifactRow {
  return {
    bytes: record.bytes,
    durationMs: record.duration_ms,
    expiryHidden: record.expiry_hidden !== 0,
    expiresAt: record.expires_at,
    key: record.key,
    mimeType: record.mime_type,
    locator: record.locator,
    position: record.position,
    sha256: record.sha256,
    task: record.task,
    type: record.type as ArtifactRow["type"],
  }
}

export function toEventRecord(event: StoredEvent): Record<keyof EventsTable, string | number> {
  return {
    task: event.task,
    version: event.version,
    at: event.at,
    data: event.data,
    hash: event.hash,
    schema: event.schema,
    type: event.type,
  }
}

export function fromEventRecord(record: EventsTable): StoredEvent {
  return {
    at: record.at,
    data: record.data,
    hash: record.hash,
    schema: record.schema,
    task: record.task,
    type: record.type,
    version: record.version,
  }
}

export function toInputRecord(input: Input): Record<keyof InputsTable, string> {
  return { task: input.task, name: input.name, salt: input.salt, body: input.body }
}

export function fromInputRecord(record: InputsTable): Input {
  return { task: record.task, name: record.name, salt: record.salt, body: record.body }
}

export function toChargeRecord(row: ChargeRow): Record<keyof ChargesTable, string | number> {
  return {
    task: row.task,
    account: row.account,
    at: row.at,
    billed_input_ms: row.billedInputMs,
    charge_micros: row.chargeMicros,
    images: row.images,
    model: row.model,
    output_video_ms: row.outputVideoMs,
    price_version: row.priceVersion,
  }
}

export function fromChargeRecord(record: ChargesTable): ChargeRow {
  return {
    account: record.account,
    at: record.at,
    billedInputMs: record.billed_input_ms,
    chargeMicros: record.charge_micros,
    images: record.images,
    model: record.model,
    outputVideoMs: record.output_video_ms,
    priceVersion: record.price_version,
    task: record.task,
  }
}

export function toOutcomeRecord(row: OutcomeRow): Record<keyof OutcomesTable, string | number> {
  return {
    task: row.task,
    attempt: row.attempt,
    at: row.at,
    channel: row.channel,
    charge_micros: row.chargeMicros,
    cost_micros: row.costMicros,
    cost_source: row.costSource,
    dispatched_at: row.dispatchedAt,
    model: row.model,
    outcome: row.outcome,
  }
}

export function fromOutcomeRecord(record: OutcomesTable): OutcomeRow {
  return {
    at: record.at,
    attempt: record.attempt,
    channel: record.channel,
    chargeMicros: record.charge_micros,
    costMicros: record.cost_micros,
    costSource: record.cost_source as OutcomeRow["costSource"],
    dispatchedAt: record.dispatched_at,
    model: record.model,
    outcome: record.outcome as OutcomeRow["outcome"],
    task: record.task,
  }
}

/** What is added to an account's totals. */
export function toTotalsRecord(
  account: string,
  totals: AccountTotals,
): Record<keyof AccountTotalsTable, string | number> {
  return {
    account,
    charged_micros: totals.chargedMicros,
    reserved_micros: totals.reservedMicros,
    unfinished_tasks: totals.unfinishedTasks,
  }
}

/** The use of a key for a new task. */
export function toIdempotencyRecord(
  { id, account }: Pick<TaskRow, "id" | "account">,
  use: IdempotencyUse,
): Record<keyof IdempotencyTable, string | number> {
  return {
    account,
    key: use.key,
    fingerprint: use.fingerprint,
    task: id,
    used_at: use.usedAt,
  }
}
