/**
 * Opens a data folder and kills itself, as nothing can be cleaned up after, when SQLite is handed its n-th
 * statement; ends by itself if there were fewer. Arguments: folder, n.
 */
import { DatabaseSync } from "node:sqlite"
import { createSqliteStorage } from "@safelight/storage-sqlite"

const [folder = "", nth = ""] = process.argv.slice(2)
let statements = 0

for (const name of ["exec", "prepare"] as const) {
  const original = DatabaseSync.prototype[name] as (...args: unknown[]) => unknown
  DatabaseSync.prototype[name] = function count(this: DatabaseSync, ...args: unknown[]) {
    statements += 1
    if (statements === Number(nth)) process.kill(process.pid, "SIGKILL")
    return original.apply(this, args)
  } as never
}

const storage = await createSqliteStorage({ folder, mode: "alone" })
await storage.close()
