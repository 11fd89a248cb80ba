/** What the contract is held against: a storage on a database that was migrated once and has been emptied since. */
import type { Storage } from "@safelight/core"
import type { StorageFixture } from "@safelight/testkit"
import { borrowTestDatabase } from "../../support/test-database.ts"
import { migrate } from "./open.ts"

export async function createContractFixture(
  open: (url: string) => Promise<Storage>,
): Promise<StorageFixture> {
  const database = await borrowTestDatabase(migrate)
  let storage = await open(database.url)
  return {
    get storage() {
      return storage
    },
    async reopen() {
      await storage.close()
      storage = await open(database.url)
      return storage
    },
    async cleanUp() {
      await storage.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
