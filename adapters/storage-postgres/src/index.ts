/** Storage on PostgreSQL: many nodes, one database. */
export { examinePostgres, type PostgresFacts } from "./examine.ts"
export {
  createPostgresStorage,
  type Answerer,
  type Commit,
  type PostgresStorageOptions,
} from "./storage.ts"
