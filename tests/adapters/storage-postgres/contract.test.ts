/** The contract, each behaviour on a copy of a database that was migrated once. */
import { createPostgresStorage } from "@safelight/storage-postgres"
import { describeStorage } from "@safelight/testkit"
import { createTestDatabase } from "../../support/test-database.ts"

async function createTemplate(): Promise<string> {
  const database = await createTestDatabase()
  const storage = await createPostgresStorage({ url: database.url })
  await storage.close()
  return database.name
}

let template: Promise<string> | undefined

describeStorage("PostgreSQL", async () => {
  template ??= createTemplate()
  const database = await createTestDatabase(await template)
  let storage = await createPostgresStorage({ url: database.url })
  return {
    get storage() {
      return storage
    },
    async reopen() {
      await storage.close()
      storage = await createPostgresStorage({ url: database.url })
      return storage
    },
    async cleanUp() {
      await storage.close()
      await database[Symbol.asyncDispose]()
    },
  }
})
