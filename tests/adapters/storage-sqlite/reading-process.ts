/** A process that reads every input of the tasks in a folder, one by one and in pages, and counts what came of it. */
import { isSafelightError } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"

const [folder = "", count = "0"] = process.argv.slice(2)
const storage = await createSqliteStorage({ folder, mode: "beside" })
const counts: Record<string, number> = {}

async function read(question: () => Promise<unknown>): Promise<void> {
  const outcome = await question().then(
    () => "read",
    (error: unknown) => (isSafelightError(error) ? error.code : String(error)),
  )
  counts[outcome] = (counts[outcome] ?? 0) + 1
}

for (let index = 0; index < Number(count); index += 1) {
  await read(() => storage.readInput({ task: `t${index}`, name: "request" }))
  await read(() => storage.readTask(`t${index}`))
  await read(() => storage.scan({ after: `t${index}`, limit: 1 }))
}
await storage.close()
console.log(JSON.stringify(counts))
