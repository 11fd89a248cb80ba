/** The store passes the contract of `Storage` over the smallest driver that there is. */
import { join } from "node:path"
import { createStorage } from "@safelight/store"
import { describeStorage } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createSmallDriver } from "./small-driver.ts"

describeStorage("The smallest driver", async () => {
  const folder = await createTemporaryFolder()
  const file = join(folder.path, "small.db")
  let storage = createStorage(await createSmallDriver(file))
  return {
    storage,
    async reopen() {
      await storage.close()
      storage = createStorage(await createSmallDriver(file))
      return storage
    },
    async cleanUp() {
      await storage.close()
      await folder[Symbol.asyncDispose]()
    },
  }
})
