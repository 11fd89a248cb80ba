/** The example of a worker that embeds the engine, installed from the packed tarballs, on a PostgreSQL server. */
import assert from "node:assert/strict"
import { execFile, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { it } from "node:test"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { createTestDatabase } from "../support/test-database.ts"
import { installPackages, skipElsewhere } from "./install-packages.ts"
import { OUTSIDE_NPM } from "./pack-packages.ts"

it(
  "a worker does what another process orders, and stops with 0",
  { skip: skipElsewhere },
  async () => {
    const { folder } = await installPackages()
    await using database = await createTestDatabase()
    const cwd = join(folder, "running/worker")
    await mkdir(cwd, { recursive: true })
    const env = { ...OUTSIDE_NPM, DATABASE_URL: database.url, ARTIFACTS: join(cwd, "artifacts") }
    const pathOf = (name: string): string => join(folder, "engine-examples/worker", name)
    const worker = spawn(process.execPath, [pathOf("worker.ts")], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    })
    try {
      await untilPrinted(worker, "working")
      const order = (): Promise<{ readonly stdout: string }> => {
        const words = [pathOf("order.ts"), "order-7", "first light", "picture.png"]
        return promisify(execFile)(process.execPath, words, { cwd, env })
      }
      const { stdout } = await order()
      const picture = await readFile(join(cwd, "picture.png"))
      assert.equal(picture.subarray(1, 4).toString(), "PNG")
      assert.equal((await order()).stdout, stdout)
    } finally {
      const ended = once(worker, "exit")
      worker.kill("SIGTERM")
      assert.deepEqual(await ended, [0, null])
    }
  },
)

/** Rejects if it ends before. */
async function untilPrinted({ stdout }: ChildProcess, words: string): Promise<void> {
  assert.ok(stdout !== null)
  for await (const line of createInterface({ input: stdout })) if (line === words) return
  assert.fail("it ended before it worked")
}
