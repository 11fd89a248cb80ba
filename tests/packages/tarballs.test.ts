/** What npm would publish, as publint and Are The Types Wrong judge it, and what each tarball must hold. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { before, describe, it } from "node:test"
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { WORKSPACES } from "../architecture/workspaces.ts"
import { installPackages, skipElsewhere } from "./install-packages.ts"
import type { Tarball } from "./pack-packages.ts"

/** Of its sources only these are modules of Node; the others are bundled into its page. */
const CONSOLE = "@safelight/console"
const CONSOLE_SOURCES = ["src/index.ts", "src/console-folder.ts"]

/** The profile `esm-only` of attw: our packages are ES modules, found by `exports` alone. */
const IGNORED_RESOLUTIONS = ["node10", "node16-cjs"]

describe("a tarball", { skip: skipElsewhere }, () => {
  let tarballs: readonly Tarball[]

  before(async () => {
    ;({ tarballs } = await installPackages())
  })

  it("is there of every published package", () => {
    const names = WORKSPACES.map(({ manifest }) => manifest.name)
    assert.deepEqual(tarballs.map(({ name }) => name).toSorted(), names.toSorted())
  })

  it("holds the licence, a README, and code, types and maps of every source file", () => {
    for (const { name, files } of tarballs) {
      const sources = files.filter((file) =>
        name === CONSOLE ? CONSOLE_SOURCES.includes(file) : /^src\/.*\.ts$/.test(file),
      )
      assert.ok(sources.length > 1, name)
      const built = sources.flatMap((file) => {
        const stem = file.replace(/^src\//, "dist/").replace(/\.ts$/, "")
        return [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) => stem + ending)
      })
      const expected = ["LICENSE", "README.md", "package.json", ...built]
      assert.deepEqual(
        expected.filter((file) => !files.includes(file)),
        [],
        name,
      )
      const stale = files.filter((file) => /^dist\/(?!page\/)/.test(file) && !built.includes(file))
      assert.deepEqual(stale, [], `${name}: built from no source`)
    }
  })

  it("holds the console's page, and no other package has one", () => {
    const pages = tarballs.filter(({ files }) => files.includes("dist/page/index.html"))
    assert.deepEqual(
      pages.map(({ name }) => name),
      [CONSOLE],
    )
    const scripts = pages[0]?.files.filter((file) => /^dist\/page\/assets\/.*\.js$/.test(file))
    assert.ok(scripts !== undefined && scripts.length > 1)
  })

  it("has no fault that publint knows", async () => {
    const found: string[] = []
    for (const { name, path } of tarballs) {
      const { buffer } = Uint8Array.from(await readFile(path))
      const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
      for (const message of messages) found.push(`${name}: ${formatMessage(message, pkg) ?? ""}`)
    }
    assert.deepEqual(found, [])
  })

  it("has types that attw finds right for ES modules and bundlers, at every entry", async () => {
    const found: string[] = []
    for (const { name, path } of tarballs) {
      const analysis = await checkPackage(createPackageFromTarballData(await readFile(path)))
      if (analysis.types === false) found.push(`${name}: no types`)
      else found.push(...analysis.problems.filter(matters).map((each) => toLine(name, each)))
    }
    assert.deepEqual(found, [])
  })
})

function matters(problem: Problem): boolean {
  return !("resolutionKind" in problem && IGNORED_RESOLUTIONS.includes(problem.resolutionKind))
}

function toLine(name: string, { kind, ...where }: Problem): string {
  return `${name}: ${kind} ${JSON.stringify(where)}`
}
