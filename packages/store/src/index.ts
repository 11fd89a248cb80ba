/** The storage, written once over a small SQL driver. */
export { findFullLimit, toPassedSql, type Limit, type Room } from "./admission.ts"
export { createAppendSteps, APPEND_STATEMENTS, type AppendSteps } from "./appends.ts"
export { assertConsistent } from "./consistent-append.ts"
export type { SqlValue, StoreDialect } from "./dialect.ts"
export {
  toStep,
  type Change,
  type ChangeOutcome,
  type Connections,
  type Driver,
  type Origins,
  type SnapshotRequest,
  type Step,
  type StepResult,
} from "./driver.ts"
export {
  closed,
  createGroupCommit,
  type Commit,
  type GroupCommit,
  type GroupCommitOptions,
} from "./group-commit.ts"
export { LEASE_STATEMENTS } from "./leases.ts"
export {
  migrate,
  SCHEMA_VERSION,
  type MigrateOptions,
  type Migration,
  type Schema,
} from "./migrate.ts"
export { MOVE_STATEMENTS } from "./moves.ts"
export { QUEUE_FRONT, type QueueFront, type TakeShape } from "./queue-statements.ts"
export {
  bind,
  createCompiler,
  describeStatements,
  toRows,
  type Compiler,
  type RawRows,
  type Statement,
} from "./statement.ts"
export { STATEMENTS } from "./statements.ts"
export { createStoreMethods, type StoreMethods, type StoreOptions } from "./store.ts"
export {
  TABLES,
  toSqlName,
  type Column,
  type DatabaseOrigin,
  type IdempotencyRow,
  type ReadyRow,
  type StoreDatabase,
  type Table,
} from "./tables.ts"
export { createTakeCursor, CURSOR_MS, type TakeCursor } from "./take-cursor.ts"
export type { PendingChange } from "./waiting-changes.ts"
