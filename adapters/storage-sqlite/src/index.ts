/** Storage on node:sqlite: the embedded default. */
export { DEFAULTS } from "./defaults.ts"
export { SQLITE_DIALECT } from "./dialect.ts"
export { createSqliteStorage, type SqliteStorageOptions } from "./storage.ts"
