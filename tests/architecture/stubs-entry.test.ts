/** `safelight stub` runs outside of any test: its entry must not load what only tests have. */
import assert from "node:assert/strict"
import { posix } from "node:path"
import { it } from "node:test"
import { findSpecifiers, read } from "./workspaces.ts"

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

/** `path` and what it imports by a relative path, however far. */
function findReached(path: string, reached = new Set<string>()): Set<string> {
  if (reached.has(path)) return reached
  reached.add(path)
  for (const name of findSpecifiers(read(path))) {
    if (name.startsWith(".")) findReached(posix.join(posix.dirname(path), name), reached)
  }
  return reached
}
