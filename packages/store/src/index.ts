/** The storage, written once over a small SQL driver. */
export { findFullLimit, toPassedSql, type Limit, type Room } from "./admission.ts"
export {
  closed,
  DatabaseError,
  toFault,
  toSafelightError,
  type DatabaseErrorOptions,
  type Fault,
} from "./sql/database-error.ts"
export type { SqlValue, StoreDialect } from "./sql/dialect.ts"
export {
  toStep,
  type Change,
  type ChangeOutcome,
  type Connections,
  type Driver,
  type Listening,
  type Notifications,
  type Origins,
  type Question,
  type QuestionPart,
  type Step,
  type StepResult,
} from "./sql/driver.ts"
export { createGatheredRead } from "./gathered-read.ts"
export { judge, type Facts, type Head, type Judgement } from "./judge.ts"
export { toLabelRows } from "./labels.ts"
export { LEASE_STATEMENTS } from "./leases.ts"
export {
  ADMITTED,
  measureAppend,
  toNewestEvent,
  type LogChange,
  type LogOutcome,
  type WriteLog,
} from "./sql/log-change.ts"
export { createLongReads, MOST_OF_ACCOUNT, MOST_WAITING, type LongReads } from "./sql/long-reads.ts"
export {
  assertMigrated,
  migrate,
  readSchemaState,
  SCHEMA_VERSION,
  type MigrateOptions,
  type Migration,
  type Schema,
  type SchemaState,
} from "./migrate.ts"
export { TRANSFER_STATEMENTS } from "./transfers.ts"
export { QUEUE_FRONT, type QueueFront, type TakeShape } from "./queue-statements.ts"
export { answerQuestion } from "./server/answer-question.ts"
export type { Connection, OpenConnection } from "./server/connection.ts"
export { createServerLane, type ServerLane, type ServerLaneOptions } from "./server/server-lane.ts"
export {
  carryOut,
  createSessions,
  readStep,
  type Sessions,
  type SessionsOptions,
} from "./server/sessions.ts"
export {
  createSharedConnections,
  REOPEN_MS,
  type SharedConnections,
} from "./server/shared-connections.ts"
export {
  createTransactions,
  type Transactions,
  type TransactionsOptions,
} from "./server/transactions.ts"
export {
  bind,
  createCompiler,
  describeStatements,
  ownStatement,
  toRows,
  type Compiler,
  type RawRows,
  type Statement,
} from "./sql/statement.ts"
export { STATEMENTS } from "./statements.ts"
export { createStorage } from "./storage.ts"
export {
  TABLES,
  toSqlName,
  toReadyRow,
  toStoredTaskRow,
  type DatabaseOrigin,
  type IdempotencyRow,
  type LabelRow,
  type ReadyRow,
  type StoreDatabase,
  type StoredTaskRow,
} from "./sql/tables.ts"
export { createTakeCursor, CURSOR_MS, type TakeCursor } from "./take-cursor.ts"
export { createWakeUps, type WakeUps } from "./wake-ups.ts"
export type { Commit } from "./writing/group-commit.ts"
export type { How, Lane } from "./writing/lane.ts"
export { NO_PATIENCE, SERVER_PATIENCE, type Patience } from "./writing/patience.ts"
export { createWriter, type Writer, type WriterOptions } from "./writing/writer.ts"
export type { Codec, Column, Table } from "./sql/columns.ts"
