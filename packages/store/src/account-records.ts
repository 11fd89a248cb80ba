/**
 * Where SQL's snake_case meets what core says of accounts, their keys and their links. A setting
 * that is absent has no column in a record: only what is given is written.
 */
import type {
  Account,
  AccountSettings,
  AccountTotals,
  ApiKeyScope,
  ChargeSum,
  KeptTotals,
  LinkKey,
  StoredKey,
} from "@safelight/core"
import type {
  AccountsTable,
  AccountTotalsTable,
  ChargesTable,
  KeysTable,
  LinkKeysTable,
} from "./database.ts"

/** The columns that hold settings. */
export type SettingColumn = Exclude<keyof AccountsTable, "id" | "created_at" | "link_epoch">

/** The columns of the settings that are given. */
export function toSettingsRecord(
  settings: Partial<AccountSettings>,
): Partial<Record<SettingColumn, string | number | null>> {
  const { budgetMicros, rates, retentionMs, signsContentUrls, suspendedAt } = settings
  const { unfinishedTasks, runningTasks, weight } = settings
  return {
    ...(budgetMicros !== undefined && { budget_micros: budgetMicros }),
    ...(rates !== undefined && { rates: JSON.stringify(rates) }),
    ...(retentionMs !== undefined && { retention_ms: retentionMs }),
    ...(signsContentUrls !== undefined && { signs_content_urls: Number(signsContentUrls) }),
    ...(suspendedAt !== undefined && { suspended_at: suspendedAt }),
    ...(unfinishedTasks !== undefined && { unfinished_tasks: unfinishedTasks }),
    ...(runningTasks !== undefined && { running_tasks: runningTasks }),
    ...(weight !== undefined && { weight }),
  }
}

export function fromAccountRecord(record: AccountsTable): Account {
  return {
    id: record.id,
    createdAt: record.created_at,
    budgetMicros: record.budget_micros,
    rates: JSON.parse(record.rates) as Account["rates"],
    retentionMs: record.retention_ms,
    signsContentUrls: record.signs_content_urls !== 0,
    suspendedAt: record.suspended_at,
    unfinishedTasks: record.unfinished_tasks,
    runningTasks: record.running_tasks,
    weight: record.weight,
  }
}

export type TotalsRecord = Omit<AccountTotalsTable, "account">

export function fromTotalsRecord(record: TotalsRecord): AccountTotals {
  return {
    chargedMicros: record.charged_micros,
    reservedMicros: record.reserved_micros,
    unfinishedTasks: record.unfinished_tasks,
  }
}

/** Totals as kept, null where the row is missing, beside the same ones counted. */
export interface KeptTotalsRecord {
  readonly account: string
  readonly charged_micros: number | null
  readonly reserved_micros: number | null
  readonly unfinished_tasks: number | null
  readonly counted_charged_micros: number
  readonly counted_reserved_micros: number
  readonly counted_unfinished_tasks: number
}

export function fromKeptTotalsRecord(record: KeptTotalsRecord): KeptTotals {
  return {
    account: record.account,
    kept: isKept(record) ? fromTotalsRecord(record) : null,
    counted: fromTotalsRecord({
      charged_micros: record.counted_charged_micros,
      reserved_micros: record.counted_reserved_micros,
      unfinished_tasks: record.counted_unfinished_tasks,
    }),
  }
}

/** A missing row joins as nulls. */
function isKept(record: KeptTotalsRecord): record is KeptTotalsRecord & TotalsRecord {
  return record.charged_micros !== null
}

/** Rows of `charges` added up. */
export interface ChargeSumRecord extends Omit<ChargesTable, "task" | "account" | "at"> {
  readonly tasks: number
}

export function fromChargeSumRecord(record: ChargeSumRecord): ChargeSum {
  return {
    model: record.model,
    priceVersion: record.price_version,
    tasks: record.tasks,
    images: record.images,
    outputVideoMs: record.output_video_ms,
    billedInputMs: record.billed_input_ms,
    chargeMicros: record.charge_micros,
  }
}

/** The account that a key makes where there is none. */
export function toKeyAccountRecord({ account, createdAt }: StoredKey): {
  readonly id: string
  readonly created_at: number
} {
  return { id: account, created_at: createdAt }
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

export function fromLinkKeyRecord(record: LinkKeysTable): LinkKey {
  return { id: record.id, secret: record.secret, createdAt: record.created_at }
}
