/** `safelight stub` runs outside of any test: its entry must not load what only tests have. */
import assert from "node:assert/strict"
import { it } from "node:test"
import { findSpecifiers, read, findReached } from "./workspaces.ts"

const FOLDER = "packages/testkit/src/stubs"

it("the entry of stubs reaches neither node:test, nor the contracts beside it, nor a library that a command should not load", () => {
  const reached = findReached(`${FOLDER}/index.ts`)
  assert.ok(reached.size > 30, `${reached.size} files are reached`)
  assert.deepEqual(
    [...reached].filter((path) => !path.startsWith(FOLDER)),
    [],
  )
  const foreign = [...reached].flatMap((path) =>
    findSpecifiers(read(path)).filter((name) => !name.startsWith(".") && !isAllowed(name)),
  )
  assert.deepEqual(foreign, [])
})

/** `valibot` is core's own, and `ws` is small. */
const LIGHT = ["@safelight/core", "valibot", "ws"]

function isAllowed(name: string): boolean {
  return LIGHT.includes(name) || (name.startsWith("node:") && name !== "node:test")
}
