/** An archive beside a PostgreSQL database. */
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createTestDatabase, execute } from "../../support/test-database.ts"
import type { ArchivedDatabase } from "../../core/support/archived-log.ts"
import { describeArchive } from "../store/describe-archive.ts"
import { describeTreeArchive } from "../store/describe-tree-archive.ts"

async function openPostgresDatabase(): Promise<ArchivedDatabase> {
  const database = await createTestDatabase()
  return {
    open: () => createPostgresStorage({ url: database.url }),
    async listEventTasks() {
      const rows = await execute<{ task: string }>(
        database.url,
        "select distinct encode(task, 'hex') as task from events order by 1",
      )
      return rows.map(({ task }) => task.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"))
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

describeArchive("PostgreSQL", openPostgresDatabase)
describeTreeArchive("PostgreSQL", openPostgresDatabase)
