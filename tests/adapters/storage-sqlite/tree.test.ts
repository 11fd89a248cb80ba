/** A tree over the log in a SQLite file that a second process has open too. */
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { describeTree } from "../store/describe-tree.ts"

describeTree("SQLite", async () => {
  const folder = await createTemporaryFolder()
  const storages = [
    await createSqliteStorage({ folder: folder.path }),
    await createSqliteStorage({ folder: folder.path, mode: "beside" }),
  ]
  const database = new DatabaseSync(join(folder.path, "safelight.db"))
  const insert = database.prepare(
    "insert into events (task, version, at, schema, type, hash, data) values (?, 1, 5, 1, 'submitted', ?, '{}')",
  )
  return {
    storages,
    addByHand: async (task) => void insert.run(task, "ab".repeat(32)),
    async [Symbol.asyncDispose]() {
      database.close()
      for (const storage of storages) await storage.close()
      await folder[Symbol.asyncDispose]()
    },
  }
})
