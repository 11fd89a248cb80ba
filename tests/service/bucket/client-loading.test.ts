/**
 * What a start without a bucket does not load: the client of S3, its megabytes and its milliseconds. A
 * process of its own, since what one test file loads shows in another of the same process.
 */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { describe, test } from "node:test"
import { promisify } from "node:util"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

/** Starts and stops a service; prints what it loaded of the client, and whether it started. */
const PROGRAM = `
import { registerHooks } from "node:module"
const seen = []
registerHooks({
  load(url, context, next) {
    if (/@aws-sdk|@smithy|artifacts-s3/.test(url)) seen.push(url)
    return next(url, context)
  },
})
const [, folder, ...more] = process.argv
const [artifacts] = more
const { createService, loadConfiguration } = await import("safelight")
const flags = { data: folder, port: "0", ...(artifacts && { artifacts }) }
const credentials = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }
const configuration = await loadConfiguration({ flags, environment: credentials, folder })
const service = await createService({ configuration }).catch(() => undefined)
await service?.stop()
process.stdout.write("\\n" + JSON.stringify({ isStarted: service !== undefined, loaded: seen.length }))
process.exit()
`

const run = promisify(execFile)

interface Outcome {
  readonly isStarted: boolean
  readonly loaded: number
}

async function start(...artifacts: readonly string[]): Promise<Outcome> {
  await using folder = await createTemporaryFolder()
  const program = ["--conditions=@safelight/source", "--input-type=module", "--eval", PROGRAM]
  const cwd = join(import.meta.dirname, "../..")
  const { stdout } = await run(process.execPath, [...program, folder.path, ...artifacts], { cwd })
  return JSON.parse(stdout.slice(stdout.lastIndexOf("\n"))) as Outcome
}

describe("the client of a bucket", () => {
  test("is not loaded by a start without a bucket", async () => {
    assert.deepEqual(await start(), { isStarted: true, loaded: 0 })
  })

  test("is loaded by a start with one", async () => {
    // Refused by its region, before anything is asked of a server.
    const { isStarted, loaded } = await start("s3://artifacts?region=Wrong")
    assert.ok(!isStarted && loaded > 0)
  })
})
