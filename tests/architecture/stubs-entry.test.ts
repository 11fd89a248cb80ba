/** `safelight stub` runs outside of any test: its entry must not load what only tests have. */
import assert from "node:assert/strict"
import { posix } from "node:path"
import { it } from "node:test"
import { findSpecifiers, read } from "./workspaces.ts"

const FOLDER = "packages/testkit/src/stubs"

it("the entry of stubs reaches neither node:test, nor the contracts beside it, nor any library", () => {
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

function isAllowed(name: string): boolean {
  return name === "@safelight/core" || (name.startsWith("node:") && name !== "node:test")
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
