/** Storage on node:sqlite: the embedded default. */
export { DEFAULTS } from "./defaults.ts"
export { SQLITE_DIALECT } from "./dialect.ts"
export { examineSqlite, type SqliteFacts } from "./examine.ts"
export { SCHEMA_VERSION } from "./schema-version.ts"
export { createSqliteStorage, type SqliteStorageOptions } from "./storage.ts"
