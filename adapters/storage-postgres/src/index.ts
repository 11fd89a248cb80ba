/** Storage on PostgreSQL: many nodes, one database. */
export { createPostgresStorage, type PostgresStorageOptions } from "./storage.ts"
