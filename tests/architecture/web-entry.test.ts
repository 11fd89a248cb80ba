/** The handler of the task API is meant for any host with `fetch` types: its entry reaches nothing of Node. */
import assert from "node:assert/strict"
import { posix } from "node:path"
import { it } from "node:test"
import { findSpecifiers, read } from "./workspaces.ts"

/** `path` and what it imports of its own package, however far. */
function findReached(path: string, reached = new Set<string>()): Set<string> {
  if (reached.has(path)) return reached
  reached.add(path)
  for (const name of findSpecifiers(read(path))) {
    if (name.startsWith(".")) findReached(posix.join(posix.dirname(path), name), reached)
  }
  return reached
}

/** Packages that load what Node alone has. */
const BOUND = ["@hono/node-server", "piscina"]

function isBound(name: string): boolean {
  return name.startsWith("node:") || BOUND.some((each) => name.startsWith(each))
}

it("the web-standard handler uses nothing of Node", () => {
  const files = [...findReached("adapters/http/src/web/index.ts")]
  assert.ok(files.length > 20, "the handler's files are found")
  const bound = files.filter(
    (path) =>
      findSpecifiers(read(path)).some((name) => isBound(name)) || /\bBuffer\b/.test(read(path)),
  )
  assert.deepEqual(bound, [])
})
