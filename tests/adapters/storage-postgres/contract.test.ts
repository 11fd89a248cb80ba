/** The contract, each behaviour on a database that was migrated once and has been emptied since. */
import { createPostgresStorage } from "@safelight/storage-postgres"
import { describeStorage } from "@safelight/testkit"
import { borrowTestDatabase } from "../../support/test-database.ts"
import { migrate } from "./open.ts"

describeStorage("PostgreSQL", async () => {
  const database = await borrowTestDatabase(migrate)
  const { url } = database
  let storage = await createPostgresStorage({ url })
  return {
    get storage() {
      return storage
    },
    async reopen() {
      await storage.close()
      storage = await createPostgresStorage({ url })
      return storage
    },
    async cleanUp() {
      await storage.close()
      await database[Symbol.asyncDispose]()
    },
  }
})
