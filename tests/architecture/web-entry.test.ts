/**
 * The handler of the task API and the client are meant for any host with `fetch` types: neither reaches
 * anything of Node, but for the client's one file that is loaded where there is a file system.
 */
import assert from "node:assert/strict"
import { it } from "node:test"
import { findFiles, findSpecifiers, read, findReached, stripComments } from "./workspaces.ts"

/** Packages that load what Node alone has. */
const BOUND = ["@hono/node-server"]

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

it("the client uses nothing of Node but in the file that saves files, which is loaded when it is needed", () => {
  const saving = "packages/client/src/artifacts/save-file.ts"
  const files = findFiles("packages/client/src", ".ts").filter((path) => path !== saving)
  assert.ok(files.length > 20, "the client's files are found")
  const bound = files.filter((path) => {
    const source = read(path)
    const isOfNode = /\b(?:Buffer|process|setImmediate|require|__dirname)\b\W/.test(
      stripComments(source),
    )
    return isOfNode || findSpecifiers(source).some(isBound)
  })
  assert.deepEqual(bound, [])
  const loading = files.filter((path) =>
    findSpecifiers(read(path)).some((each) => each.includes("save-file")),
  )
  assert.deepEqual(loading, ["packages/client/src/artifacts/task-artifact.ts"])
  assert.match(read(loading[0] ?? ""), /await import\("#save-file"\)/)
  const { imports } = JSON.parse(read("packages/client/package.json")) as {
    imports: { "#save-file": { default: string } }
  }
  assert.equal(imports["#save-file"].default, "./dist/artifacts/no-save-file.js")
})
