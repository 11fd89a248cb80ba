/** SQLite passes the contract of `Storage`. */
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { describeStorage } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

describeStorage("SQLite", async () => {
  const folder = await createTemporaryFolder()
  let storage = await createSqliteStorage({ folder: folder.path })
  return {
    storage,
    async reopen() {
      await storage.close()
      storage = await createSqliteStorage({ folder: folder.path })
      return storage
    },
    async cleanUp() {
      await storage.close()
      await folder[Symbol.asyncDispose]()
    },
  }
})
