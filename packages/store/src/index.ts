/** The log and the read models on Kysely: what every SQL storage shares. */
export type { AppendStatements } from "./append-statements.ts"
export type {
  AccountsTable,
  ArtifactsTable,
  CompatibilityTable,
  EventsTable,
  InputsTable,
  KeysTable,
  ReadyTable,
  RetentionTable,
  StoreDatabase,
  TasksTable,
} from "./database.ts"
export type { StoreDialect } from "./dialect.ts"
export type { KeyStatements } from "./key-statements.ts"
export { toListValues, type ListFilters, type ListStatements } from "./list-statements.ts"
export { migrate, SCHEMA_VERSION } from "./migrate.ts"
export type { QueueStatements } from "./queue-statements.ts"
export type { ReadStatements } from "./read-statements.ts"
export {
  fromArtifactRecord,
  fromEventRecord,
  fromInputRecord,
  fromKeyRecord,
  fromTaskRecord,
  toArtifactRecord,
  toEventRecord,
  toInputRecord,
  toKeyRecord,
  toTaskRecord,
} from "./records.ts"
export { bind, type SqlValue, type SqlValues, type Statement } from "./statement.ts"
export { compileStatements, type StoreStatements } from "./statements.ts"
