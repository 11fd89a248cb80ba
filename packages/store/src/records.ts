/**
 * The one place where SQL's snake_case meets core's rows. Reading checks nothing: what a row must
 * say is the audit's matter.
 */
import type {
  ApiKeyScope,
  ArtifactRow,
  Input,
  StoredEvent,
  StoredKey,
  TaskRow,
} from "@safelight/core"
import type { ArtifactsTable, EventsTable, InputsTable, KeysTable, TasksTable } from "./database.ts"

export function toTaskRecord(row: TaskRow): Record<keyof TasksTable, string | number> {
  return {
    id: row.id,
    account: row.account,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
    hash: row.hash,
    model: row.model,
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
    key: row.key,
    mime_type: row.mimeType,
    place: row.place,
    sha256: row.sha256,
    type: row.type,
  }
}

export function fromArtifactRecord(record: ArtifactsTable): ArtifactRow {
  return {
    bytes: record.bytes,
    durationMs: record.duration_ms,
    expiresAt: record.expires_at,
    key: record.key,
    mimeType: record.mime_type,
    place: record.place,
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

export function toKeyRecord(key: StoredKey): Record<keyof KeysTable, string | number> {
  return {
    id: key.id,
    account: key.account,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    scopes: JSON.stringify(key.scopes),
    secret_sha256: key.secretSha256,
  }
}

export function fromKeyRecord(record: KeysTable): StoredKey {
  return {
    id: record.id,
    account: record.account,
    secretSha256: record.secret_sha256,
    scopes: JSON.parse(record.scopes) as ApiKeyScope[],
    createdAt: record.created_at,
    revokedAt: record.revoked_at,
    expiresAt: record.expires_at,
  }
}
