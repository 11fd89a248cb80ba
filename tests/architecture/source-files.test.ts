/** The form of every source file: its name, its opening comment, its size (conventions). */
import assert from "node:assert/strict"
import { basename, dirname, posix } from "node:path"
import { describe, it } from "node:test"
import { findFiles, findSources, findSpecifiers, read } from "./workspaces.ts"

const MOST_LINES = 300
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|config|d))?\.(?:ts|tsx|js|mjs|cjs)$/
const HUBS = [
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "types",
  "interfaces",
  "lib",
  "misc",
  "shared",
  "constants",
]

const sources = findSources()
const tests = findFiles("tests", ".ts")

/** Lines that are neither blank nor comment. */
function countCode(source: string): number {
  const bare = source.replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, "")
  return bare.split("\n").filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length
}

function isBelow(folder: string, other: string): boolean {
  return folder.startsWith(`${other}/`)
}

describe("every source file", () => {
  it("is there to be looked at", () => assert.ok(sources.length > 30, `${sources.length} found`))

  it(`has at most ${MOST_LINES} lines of code`, () => {
    // An index is a list of names, which a test of its own holds.
    const bodies = sources.filter((path) => !path.endsWith("/src/index.ts"))
    const long = bodies.map((path) => `${path}: ${countCode(read(path))}`)
    assert.deepEqual(
      long.filter((each) => Number(each.split(": ")[1]) > MOST_LINES),
      [],
    )
  })

  it("has a name in kebab-case, and so have the tests", () => {
    assert.deepEqual(
      [...sources, ...tests].filter((path) => !KEBAB_CASE.test(basename(path))),
      [],
    )
  })

  it("is no hub, nor in a folder that is one", () => {
    const isHub = (path: string): boolean =>
      path.split("/").some((part) => HUBS.includes(part.replace(/\..*$/, "")))
    assert.deepEqual([...sources, ...tests].filter(isHub), [])
  })

  it("opens with a comment, and so do the tests", () => {
    const opens = /^(?:#![^\n]*\n)?\s*\/\*\*?\s*\S/
    assert.deepEqual(
      [...sources, ...tests].filter((path) => !opens.test(read(path))),
      [],
    )
  })

  it("imports nothing from a folder above its own, types included", () => {
    const upwards = sources.flatMap((path) =>
      findSpecifiers(read(path))
        .filter((module) => module.startsWith("."))
        .map((module) => posix.join(dirname(path), module))
        .filter((target) => isBelow(dirname(path), dirname(target)))
        .map((target) => `${path} imports ${target}`),
    )
    assert.deepEqual(upwards, [])
  })

  it("reads no environment variable, outside of packages/safelight", () => {
    const reads = /\bprocess\s*\.\s*env\b|\bprocess\[["']env["']\]/
    const below = sources.filter((path) => !path.startsWith("packages/safelight/"))
    assert.deepEqual(
      below.filter((path) => reads.test(read(path))),
      [],
    )
  })

  it("leaves no work for later", () => {
    const marks = /\b(?:TODO|FIXME|XXX|HACK)\b/
    const own = "tests/architecture/source-files.test.ts"
    assert.deepEqual(
      [...sources, ...tests].filter((path) => path !== own && marks.test(read(path))),
      [],
    )
  })
})

describe("the count of code", () => {
  it("leaves out blank lines and comments", () => {
    const source =
      "/** One.\n * Two.\n */\n\nconst a = 1 // here\n  // there\n/* all */\nconst b = 2\n"
    assert.equal(countCode(source), 2)
  })
})
