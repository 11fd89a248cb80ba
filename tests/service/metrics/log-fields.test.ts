/** What the service's log leaves out of a line, whoever wrote it, and that it is a line of JSON. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, it } from "node:test"
import { hideFields } from "safelight"

const SECRETS = ["prompt", "url", "key", "secret", "token", "access", "authorization"]

describe("fields of the log", () => {
  it("are hidden by name, at the first level and the second", () => {
    for (const name of SECRETS) {
      const fields = { task: "t", [name]: "word", of: { [name]: "word", more: 1 } }
      const hidden = { task: "t", [name]: "[Redacted]", of: { [name]: "[Redacted]", more: 1 } }
      assert.deepEqual(hideFields(fields), hidden)
      assert.equal(fields[name], "word")
    }
  })

  it("are the same object where there is nothing to hide", () => {
    const fields = { task: "t", of: { more: 1 }, nothing: null, error: new Error("a bug") }
    assert.equal(hideFields(fields), fields)
  })

  it("are hidden in what is written, of an error as well", () => {
    const source = JSON.stringify(
      join(import.meta.dirname, "../../../packages/safelight/src/service/json-log.ts"),
    )
    const program = `
      const { createJsonLog } = await import(${source})
      const log = createJsonLog({ level: "info" })
      log.info({ prompt: "word", of: { token: "word" } }, "first")
      log.warn({ error: Object.assign(new Error("a bug"), { url: "word" }) }, "second")
      log.error({ access: "word" }, "third")
      await log.flush(10_000)`
    const condition = "--conditions=@safelight/source"
    const argv = [condition, "--input-type=module", "--eval", program]
    const { stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" })
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { msg: string; level: number; time: string })
    for (const { time } of lines) assert.equal(new Date(time).toISOString(), time)
    const told = lines.map(({ msg, level }) => [msg, level])
    assert.deepEqual(told, [
      ["first", 30],
      ["second", 40],
      ["third", 50],
    ])
    assert.ok(!stderr.includes("word"), stderr)
  })
})
