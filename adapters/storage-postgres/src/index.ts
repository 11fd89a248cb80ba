/** Storage on PostgreSQL: many nodes, one database. */
export { createPostgresStorage, type Commit, type PostgresStorageOptions } from "./storage.ts"
