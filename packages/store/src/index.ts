/** The log and the read models on Kysely: what every SQL storage shares. */
export {
  fromAccountRecord,
  fromChargeSumRecord,
  fromKeptTotalsRecord,
  fromKeyRecord,
  fromLinkKeyRecord,
  fromTotalsRecord,
  toKeyAccountRecord,
  toKeyRecord,
  toSettingsRecord,
  type ChargeSumRecord,
  type KeptTotalsRecord,
  type SettingColumn,
  type TotalsRecord,
} from "./account-records.ts"
export type { AccountStatements } from "./account-statements.ts"
export type { AdmissionStatements } from "./admission-statements.ts"
export type { AppendStatements } from "./append-statements.ts"
export type {
  AccountsTable,
  AccountTotalsTable,
  ArtifactsTable,
  ChargesTable,
  ClaimsTable,
  DeploymentSecretsTable,
  DeploymentTable,
  EventsTable,
  IdempotencyTable,
  InputsTable,
  KeysTable,
  LinkEpochsTable,
  LinkKeysTable,
  MovesTable,
  OutcomesTable,
  PausedChannelsTable,
  RatesTable,
  ReadyTable,
  RetentionTable,
  SlotsTable,
  StoreDatabase,
  TasksTable,
} from "./database.ts"
export { toClaimed, toReadableHead, type ClaimRecord } from "./claimed-records.ts"
export { assertConsistent } from "./consistent-append.ts"
export {
  fromLoadRecord,
  fromOutcomesRecord,
  fromPausedChannelRecord,
  type ChannelLoadRecord,
  type ChannelOutcomesRecord,
} from "./channel-records.ts"
export type { ChannelStatements } from "./channel-statements.ts"
export type { ClaimStatements } from "./claim-statements.ts"
export {
  fromDeploymentRecord,
  toDeploymentValues,
  type DatabaseOrigin,
} from "./deployment-records.ts"
export type { DeploymentStatements } from "./deployment-statements.ts"
export type { StoreDialect } from "./dialect.ts"
export type { KeyStatements } from "./key-statements.ts"
export type { LinkStatements } from "./link-statements.ts"
export { toListPage, type ListedRecord, type PositionRecord } from "./list-page.ts"
export { toListValues, type ListFilters, type ListStatements } from "./list-statements.ts"
export {
  migrate,
  SCHEMA_VERSION,
  type MigrateOptions,
  type Migration,
  type Schema,
} from "./migrate.ts"
export { fromMoveRecord, toBelongings } from "./move-records.ts"
export type { MoveStatements } from "./move-statements.ts"
export {
  fromClaimRecord,
  EMPTY_QUEUE,
  fromQueueMeasureRecord,
  fromQueuePeekRecord,
  type QueueMeasureRecord,
  type QueuePeekRecord,
  type StartedTurnRecord,
} from "./queue-records.ts"
export {
  QUEUE_FRONT,
  toModelValues,
  type ClaimShape,
  type QueueFront,
  type QueueStatements,
} from "./queue-statements.ts"
export type { RateStatements } from "./rate-statements.ts"
export type { ReadStatements } from "./read-statements.ts"
export {
  fromArtifactRecord,
  fromChargeRecord,
  fromEventRecord,
  fromInputRecord,
  fromOutcomeRecord,
  fromTaskRecord,
  toArtifactRecord,
  toChargeRecord,
  toEventRecord,
  toIdempotencyRecord,
  toInputRecord,
  toOutcomeRecord,
  toTaskRecord,
  toTotalsRecord,
} from "./records.ts"
export { toScanPage, type ScannedRecords } from "./scanned-streams.ts"
export { bind, type SqlValue, type SqlValues, type Statement } from "./statement.ts"
export { compileStatements, type StoreStatements } from "./statements.ts"
export type { TotalsStatements } from "./totals-statements.ts"
