/**
 * The tables as Kysely sees them, in SQL's snake_case. Only `records.ts` turns these into core's
 * rows and back, so a column's name stands here and there and nowhere else. Moments are
 * milliseconds since the Unix epoch.
 */
export interface StoreDatabase {
  readonly accounts: AccountsTable
  readonly artifacts: ArtifactsTable
  readonly compatibility: CompatibilityTable
  readonly events: EventsTable
  readonly inputs: InputsTable
  readonly keys: KeysTable
  readonly ready: ReadyTable
  readonly retention: RetentionTable
  readonly tasks: TasksTable
}

/** The log: append-only, a trigger refuses everything else. */
export interface EventsTable {
  readonly task: string
  readonly version: number
  readonly at: number
  readonly data: string
  readonly hash: string
  readonly schema: number
  readonly type: string
}

/** The fold at `version`. */
export interface TasksTable {
  readonly id: string
  readonly account: string
  readonly created_at: number
  readonly finished_at: number
  readonly hash: string
  readonly model: string
  readonly snapshot: string
  readonly status: string
  readonly version: number
}

export interface ArtifactsTable {
  readonly task: string
  readonly position: number
  readonly bytes: number
  readonly duration_ms: number | null
  readonly expires_at: number
  readonly key: string
  readonly mime_type: string
  readonly place: string
  readonly sha256: string
  readonly type: string
}

/** Unfinished tasks: small and hot. `claim` is null, and `claimed_until` 0, while unclaimed. */
export interface ReadyTable {
  readonly task: string
  readonly model: string
  readonly due_at: number
  readonly end_by: number
  readonly claim: string | null
  readonly claimed_until: number
}

/** Finished tasks that retention must look at again. */
export interface RetentionTable {
  readonly task: string
  readonly due_at: number
}

/** What a person or a provider wrote; a row may be deleted at any time. */
export interface InputsTable {
  readonly task: string
  readonly name: string
  readonly salt: string
  readonly body: string
}

export interface AccountsTable {
  readonly id: string
  readonly created_at: number
}

export interface KeysTable {
  readonly id: string
  readonly account: string
  readonly created_at: number
  readonly expires_at: number
  readonly revoked_at: number
  /** A JSON array of texts. */
  readonly scopes: string
  readonly secret_sha256: string
}

/** One row, `id` 1: which code may use the database. */
export interface CompatibilityTable {
  readonly id: number
  readonly schema_version: number
  readonly oldest_code_version: number
}
