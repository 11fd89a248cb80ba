/**
 * The tables as Kysely sees them, in SQL's snake_case. Only `records.ts` and
 * `account-records.ts` turn these into core's rows and back, so a column's name stands here and
 * there and nowhere else. Moments are
 * milliseconds since the Unix epoch.
 */
import type { Generated, Selectable } from "kysely"

export interface StoreDatabase {
  readonly account_totals: AccountTotalsTable
  readonly accounts: AccountColumns
  readonly artifacts: ArtifactsTable
  readonly charges: ChargesTable
  readonly claims: ClaimsTable
  readonly deployment: DeploymentTable
  readonly deployment_secrets: DeploymentSecretsTable
  readonly events: EventsTable
  readonly idempotency: IdempotencyTable
  readonly inputs: InputsTable
  readonly keys: KeysTable
  readonly link_epochs: LinkEpochsTable
  readonly link_keys: LinkKeysTable
  readonly moves: MovesTable
  readonly outcomes: OutcomesTable
  readonly paused_channels: PausedChannelsTable
  readonly rates: RatesTable
  readonly ready: ReadyTable
  readonly retention: RetentionTable
  readonly slots: SlotsTable
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
  readonly reservation_micros: number
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
  /** 0 or 1. */
  readonly expiry_hidden: number
  readonly key: string
  readonly mime_type: string
  readonly locator: string
  readonly sha256: string
  readonly type: string
}

/** The bill: one row for each finished task that used something. */
export interface ChargesTable {
  readonly task: string
  readonly account: string
  readonly at: number
  readonly billed_input_ms: number
  readonly charge_micros: number
  readonly images: number
  readonly model: string
  readonly output_video_ms: number
  readonly price_version: string
}

/** What came of attempts: one row for each that ended its task, or was billed for nothing. */
export interface OutcomesTable {
  readonly task: string
  readonly attempt: number
  readonly at: number
  readonly channel: string
  readonly charge_micros: number
  readonly cost_micros: number
  readonly cost_source: string
  readonly dispatched_at: number
  readonly model: string
  readonly outcome: string
}

/** Unfinished tasks: small and hot. `claim` is null while anybody may take the task. */
export interface ReadyTable {
  readonly task: string
  readonly account: string
  readonly model: string
  readonly due_at: number
  readonly end_by: number
  readonly claim: string | null
  /** Its place among the starts; null where it waits for `due_at`. */
  readonly turn: number | null
}

/** Claims that were renewed, and how often: a claim without a row has no beats. */
export interface ClaimsTable {
  readonly claim: string
  readonly beats: number
}

/** How many slots of a pool a claim holds. */
export interface SlotsTable {
  readonly pool: string
  readonly claim: string
  readonly held: number
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

/** Which task a key of an account stands for; a row may be deleted at any time. */
export interface IdempotencyTable {
  readonly account: string
  readonly key: string
  readonly fingerprint: string
  readonly task: string
  readonly used_at: number
}

/** Null: no bound, or the engine's own time. An account is made without any of its settings. */
interface AccountColumns {
  readonly id: string
  readonly created_at: number
  readonly budget_micros: number | null
  readonly link_epoch: Generated<number>
  /** A JSON object: by policy a rate or null. */
  readonly rates: Generated<string>
  readonly retention_ms: number | null
  /** 0 or 1. */
  readonly signs_content_urls: Generated<number>
  readonly suspended_at: Generated<number>
  readonly unfinished_tasks: number | null
  readonly running_tasks: number | null
  readonly weight: Generated<number>
}

export type AccountsTable = Readonly<Selectable<AccountColumns>>

/** Of accounts with a budget or a bound on unfinished tasks, and of no others. */
export interface AccountTotalsTable {
  readonly account: string
  readonly charged_micros: number
  readonly reserved_micros: number
  readonly unfinished_tasks: number
}

/** `moment` is in microseconds since the Unix epoch. */
export interface RatesTable {
  readonly account: string
  readonly policy: string
  readonly moment: number
}

/** The highest rank signs: keys may be made at one moment, or while a clock goes back. */
export interface LinkKeysTable {
  readonly id: string
  readonly created_at: number
  readonly rank: number
  readonly secret: string
}

/** Of artifacts whose links were revoked. */
export interface LinkEpochsTable {
  readonly task: string
  readonly key: string
  readonly epoch: number
}

/** Of most databases empty: a seal, and imports. */
export interface MovesTable {
  readonly id: string
  readonly at: number
  readonly state: string
}

/** At most one row, `id` 1: where the database stood, and which artifacts are its own. */
export interface DeploymentTable {
  readonly id: number
  readonly revision: number
  /** A JSON object of texts: what identifies the file, or the server and its database. */
  readonly origin: string
  readonly artifacts_mark: string | null
  /** 0: never. */
  readonly adopted_at: number
}

/** One row: the secret, and the `adopted_at` that it was made under; 0: before any adoption. */
export interface DeploymentSecretsTable {
  readonly adopted_at: number
  readonly secret: string
}

/** The channels that get nothing new. */
export interface PausedChannelsTable {
  readonly channel: string
  readonly paused_at: number
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
