/** What is public is promised: a change of any package's exports has to be made on purpose. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { LIST, parseExports, readPublicExports, type PublicExports } from "./public-exports.ts"
import { WORKSPACES } from "./workspaces.ts"

const listed = JSON.parse(readFileSync(LIST, "utf8")) as PublicExports

const HOW =
  "public exports changed; if that is meant, run `npm run exports:update` " +
  "(node tests/architecture/update-public-exports.ts) and commit tests/architecture/public-exports.json"

describe("the public exports", () => {
  it("of every package are those listed", () => {
    assert.deepEqual(readPublicExports(), listed, HOW)
  })

  for (const { folder, manifest } of WORKSPACES) {
    it(`of ${folder} exist`, () => {
      const count = readPublicExports()[manifest.name]?.length ?? 0
      assert.ok(count > 0, `${folder}/src/index.ts exports nothing`)
    })
  }
})

describe("the reader of an index", () => {
  it("lists values and types by their public names", () => {
    const source = `/** The face. */
      export { b, type T, c as d } from "./one.ts" // a note
      export type { U, V as W } from "./two.ts"`
    assert.deepEqual(parseExports(source), ["b", "d", "type T", "type U", "type W"])
  })

  it("refuses whatever is not a named re-export", () => {
    for (const source of [
      'export * from "./one.ts"',
      'export * as one from "./one.ts"',
      "export const one = 1",
      'import { one } from "./one.ts"',
      'export { one } from "@safelight/core"',
      "export default 1",
    ]) {
      assert.throws(() => parseExports(source), SyntaxError, source)
    }
  })
})
