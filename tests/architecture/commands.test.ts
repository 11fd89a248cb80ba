/**
 * A command is one file and one line of the table, and costs its start only what it needs: a command that asks a
 * service does not load the service.
 */
import assert from "node:assert/strict"
import { posix } from "node:path"
import { describe, it } from "node:test"
import { findFiles, read } from "./workspaces.ts"

const SOURCE = "packages/safelight/src"
/** What every command may load before it runs; whatever else it needs, it imports once it runs. */
const LIGHT = ["@safelight/client", "@safelight/core", "@safelight/operator", "commander"]

const files = findFiles(`${SOURCE}/commands`, ".ts")
const table = read(`${SOURCE}/commands.ts`)

/** The specifiers that are loaded with a file: neither types nor `import()`. */
function findLoaded(path: string): readonly string[] {
  const text = read(path)
  return Array.from(
    text.matchAll(/^(?:import|export) (?!type )[^"';]*?from "([^"]+)"/gm),
    ([, specifier = ""]) => specifier,
  )
}

/** Those of the file and of all files that it loads. */
function findPackages(path: string, seen = new Set<string>()): ReadonlySet<string> {
  const packages = new Set<string>()
  if (seen.has(path)) return packages
  seen.add(path)
  for (const specifier of findLoaded(path)) {
    if (!specifier.startsWith(".")) packages.add(specifier)
    else {
      const next = posix.join(posix.dirname(path), specifier)
      for (const each of findPackages(next, seen)) packages.add(each)
    }
  }
  return packages
}

describe("a command", () => {
  for (const path of files) {
    const file = posix.basename(path)
    const [, name = ""] = /^ {2}name: "([a-z ]+)",$/m.exec(read(path)) ?? []

    it(`in ${file} has its name and its line in the table`, () => {
      assert.equal(`${name.replaceAll(" ", "-")}.ts`, file)
      const key = name.includes(" ") ? `"${name}"` : name
      assert.ok(table.includes(`  ${key}: () => import("./commands/${file}"),\n`))
    })

    it(`in ${file} loads nothing heavy before it runs`, () => {
      const heavy = [...findPackages(path)].filter(
        (each) => !each.startsWith("node:") && !LIGHT.includes(each),
      )
      assert.deepEqual(heavy, [])
    })
  }

  it("stands in the table for each file, and for no other", () => {
    assert.ok(files.length > 0)
    assert.equal(table.match(/import\("/g)?.length, files.length)
  })
})
