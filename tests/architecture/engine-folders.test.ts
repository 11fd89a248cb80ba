/**
 * The folders of the engine stand in one order, from submitting down to what the engine is made from, and a
 * file imports values only from its own folder or from one further down. Types may point upwards: they say
 * what a part is given, and load nothing.
 */
import assert from "node:assert/strict"
import { posix } from "node:path"
import { describe, it } from "node:test"
import { findFiles, read } from "./workspaces.ts"

const SRC = "packages/engine/src"

/** As the engine's README has them. */
const ORDER = [
  "submit",
  "reads",
  "retention",
  "scheduling",
  "ownership",
  "work",
  "media",
  "record",
  "host",
] as const

/** The relative modules that a source loads values from. */
function findValueImports(source: string): string[] {
  const pattern = /^(?:import|export)\s+(?!type\b)([^"';]*?)\s*from\s*"(\.[^"]+)"/gm
  return Array.from(source.matchAll(pattern), ([, names = "", path = ""]) => ({ names, path }))
    .filter(({ names }) => !areTypes(names))
    .map(({ path }) => path)
}

/** Whether all that is named between braces is a type. */
function areTypes(names: string): boolean {
  const [, inner] = /^\{([^}]*)\}$/s.exec(names) ?? []
  const each = inner?.split(",").map((name) => name.trim())
  return each?.every((name) => name === "" || name.startsWith("type ")) ?? false
}

/** Where a file stands in the order; undefined for those at the top, which put the folders together. */
function rankOf(path: string): number | undefined {
  const [folder = "", file] = posix.relative(SRC, path).split("/")
  if (file === undefined) return undefined
  const rank = (ORDER as readonly string[]).indexOf(folder)
  assert.notEqual(rank, -1, `${path} is in a folder that the order does not know`)
  return rank
}

describe("the engine's folders", () => {
  const files = findFiles(SRC, ".ts")

  it("are all there", () => {
    const found = new Set(files.map((path) => rankOf(path)).filter((rank) => rank !== undefined))
    assert.equal(found.size, ORDER.length)
  })

  it("load one another in one direction", () => {
    const upwards = files.flatMap((path) => {
      const own = rankOf(path)
      if (own === undefined) return []
      return findValueImports(read(path))
        .map((each) => posix.join(posix.dirname(path), each))
        .filter((target) => (rankOf(target) ?? -1) < own)
        .map((target) => `${path} loads ${target}`)
    })
    assert.deepEqual(upwards, [])
  })

  it("stand in the README in that order", () => {
    const [, section = ""] =
      /^## The folders\n([^#]*)/m.exec(read("packages/engine/README.md")) ?? []
    assert.deepEqual(
      Array.from(section.matchAll(/`(\w+)\/`/g), ([, folder]) => folder),
      ORDER,
    )
  })
})

describe("the reader of value imports", () => {
  it("tells values from types", () => {
    const source = [
      'import type { A } from "./a.ts"',
      'import { type B } from "./b.ts"',
      'import { type C, c } from "./c.ts"',
      'import * as d from "./d.ts"',
      'export { e } from "./e.ts"',
      'import {\n  type F,\n  type G,\n} from "./f.ts"',
      'import { outside } from "outside"',
    ].join("\n")
    assert.deepEqual(findValueImports(source), ["./c.ts", "./d.ts", "./e.ts"])
  })
})
