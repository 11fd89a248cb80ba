/**
 * A process that serves the folder it is given and admits and finishes tasks without end, 16 at a
 * time, until it is killed. It names each task on its output once all of it was acknowledged, not
 * before.
 */
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { CRASH_ACCOUNT, toCrashSample, toCrashUse } from "./crash-sample.ts"

const [folder = "", start = "0"] = process.argv.slice(2)
const storage = await createSqliteStorage({ folder })
await storage.setAccount(CRASH_ACCOUNT)
let next = Number(start)

async function appendWithoutEnd(): Promise<never> {
  for (;;) {
    const index = next
    next += 1
    const [submitted, succeeded] = toCrashSample(index)
    await storage.admit({ append: submitted.append, idempotency: toCrashUse(index) })
    await storage.append(succeeded.append)
    await write(`${index}\n`)
  }
}

/** Waits while the reader is behind: `writeSync` would fail with EAGAIN then. */
async function write(line: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.stdout.write(line, () => resolve())
  await promise
}

await Promise.all(Array.from({ length: 16 }, appendWithoutEnd))
