/**
 * The handler of the task API is meant for any host with `fetch` types. It is not there yet: this test
 * is expected to fail, and says so when it passes.
 */
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

const reason = "list cursors use Buffer and digests node:crypto; two entries replace the one"

it("the web-standard handler uses nothing of Node", { expectFailure: reason }, () => {
  const files = [...findReached("adapters/http/src/http-handler.ts")]
  assert.ok(files.length > 20, "the handler's files are found")
  const bound = files.filter(
    (path) =>
      findSpecifiers(read(path)).some((name) => name.startsWith("node:")) ||
      /\bBuffer\b/.test(read(path)),
  )
  assert.deepEqual(bound, [])
})
