/**
 * A process that serves the folder it is given and appends without end, 16 tasks at a time, until
 * it is killed. It names each task on its output once the append was acknowledged, not before.
 */
import { writeSync } from "node:fs"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { toCrashSample } from "./crash-sample.ts"

const [folder = "", start = "0"] = process.argv.slice(2)
const storage = await createSqliteStorage({ folder })
let next = Number(start)

async function appendWithoutEnd(): Promise<never> {
  for (;;) {
    const index = next
    next += 1
    for (const { append } of toCrashSample(index)) await storage.append(append)
    writeSync(1, `${index}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, appendWithoutEnd))
