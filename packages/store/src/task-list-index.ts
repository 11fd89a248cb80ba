/**
 * Schema 2: the index that an account's tasks are listed along. No column of it changes once a task
 * is created, so that advancing a task leaves it alone; code of schema 1 may go on beside it.
 */
import type { Kysely } from "kysely"
import type { Migration } from "kysely/migration"

export function createTaskListIndex(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createIndex("tasks_listed")
        .on("tasks")
        .columns(["account", "created_at", "id"])
        .execute()
    },
  }
}
