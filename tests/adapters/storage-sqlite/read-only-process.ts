/** A process that may read the folder it is given and write nothing in it: opens it beside, and tells what it finds. */
import { isSafelightError, type Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"

const [folder = ""] = process.argv.slice(2)

async function tellError(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return isSafelightError(error) ? `${error.code}: ${error.message}` : String(error)
}

async function tellFound(storage: Storage): Promise<Readonly<Record<string, unknown>>> {
  const { streams } = await storage.scan({ after: "", limit: 10 })
  const charges = await storage.sumCharges({ account: "account", from: 0, to: 9_000 })
  return {
    version: (await storage.readTask("t"))?.task.version,
    scanned: streams.map(({ id, events }) => [id, events.length]),
    keys: (await storage.listKeys()).length,
    charges: charges.length,
    write: await tellError(storage.append(submitSample({ id: "u" }).append)),
  }
}

const serving = await tellError(createSqliteStorage({ folder }))
const opened = createSqliteStorage({ folder, mode: "beside" })
const beside = await opened.then(tellFound, () => tellError(opened))
await opened.then((storage) => storage.close()).catch(() => {})
console.log(JSON.stringify({ serving, beside }))
