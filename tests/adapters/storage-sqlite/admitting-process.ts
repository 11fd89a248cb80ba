/**
 * A process that serves the folder it is given and admits tasks one after the other until one fails,
 * then as many more at once as it was told, and waits to be killed. It says of each what its caller
 * would hear: `stored`, or the code of the error, and `undone` where that says that nothing was done.
 */
import { writeSync } from "node:fs"
import { isSafelightError } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"

const [folder = "", more = "0"] = process.argv.slice(2)
const storage = await createSqliteStorage({ folder })

async function admit(id: string): Promise<boolean> {
  try {
    await storage.admit({ append: submitSample({ id }).append })
    writeSync(1, `${id} stored\n`)
    return true
  } catch (error) {
    if (!isSafelightError(error)) throw error
    writeSync(1, `${id} ${error.code}${error.isUndone ? " undone" : ""}\n`)
    return false
  }
}

for (let count = 0; await admit(`alone-${count}`);) count += 1
await Promise.all(Array.from({ length: Number(more) }, (_, index) => admit(`together-${index}`)))
writeSync(1, "done\n")
setInterval(() => {}, 60_000)
