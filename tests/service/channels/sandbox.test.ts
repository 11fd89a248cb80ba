/**
 * When a service obeys directives in prompts: on a first start that only this machine reaches, or
 * where it is told to; a public service does not come to it by a forgotten setting.
 */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { createService, loadConfiguration, type ConfigurationFlags } from "safelight"
import { startService, temporaryFolder } from "../command/command-process.ts"

const FILE = "safelight.config.json"

async function hasSandbox(
  t: TestContext,
  flags: ConfigurationFlags,
  given: { readonly file?: object; readonly environment?: Record<string, string> } = {},
): Promise<boolean> {
  const folder = await temporaryFolder(t)
  const { environment = {}, file } = given
  if (file !== undefined) await writeFile(join(folder, FILE), JSON.stringify(file))
  const configuration = await loadConfiguration({
    flags: { port: "0", ...flags },
    environment,
    folder,
  })
  const service = await createService({ configuration })
  await service.stop()
  return service.hasSandbox
}

test("a first start that only this machine reaches has the sandbox", async (t) => {
  assert.equal(await hasSandbox(t, {}), true)
  assert.equal(await hasSandbox(t, { host: "localhost" }), true)
})

test("a first start on every interface, behind a public address or with a file has none", async (t) => {
  assert.equal(await hasSandbox(t, { host: "0.0.0.0" }), false)
  assert.equal(await hasSandbox(t, { publicUrl: "https://media.example" }), false)
  assert.equal(await hasSandbox(t, {}, { file: { logLevel: "warn" } }), false)
})

test("a flag, a variable or the file switches it on or off anywhere", async (t) => {
  assert.equal(await hasSandbox(t, { host: "0.0.0.0", sandbox: true }), true)
  const off = { SAFELIGHT_SANDBOX: "false" }
  assert.equal(await hasSandbox(t, {}, { environment: off }), false)
  assert.equal(await hasSandbox(t, {}, { file: { studio: { sandbox: true } } }), true)
  const file = { studio: { sandbox: true } }
  assert.equal(await hasSandbox(t, {}, { file, environment: off }), false)
})

test("a start on a database that was there has none, and what is printed says so", async (t) => {
  const folder = await temporaryFolder(t)
  const first = await startService(folder)
  assert.match(first.stdout(), /^The sandbox is on: [^\n]+ Later starts need --sandbox\.$/m)
  first.kill("SIGTERM")
  await first.ended
  const second = await startService(folder)
  assert.doesNotMatch(second.stdout(), /sandbox/)
  second.kill("SIGTERM")
  await second.ended
  const third = await startService(folder, ["--sandbox"])
  assert.match(third.stdout(), /^The sandbox is on: /m)
})

test("with strangers about, a sandbox that was asked for is warned of", async (t) => {
  const words = ["--sandbox", "--public-url", "https://media.example"]
  const running = await startService(await temporaryFolder(t), words)
  running.kill("SIGTERM")
  assert.match((await running.ended).stderr, /sandbox exposed/)
})
