/**
 * The rule of design §1, held twice: the linter must refuse each violation planted in a copy of the
 * house (a linter that read nothing would pass everything), and no package may name or import
 * another of ours that the rule does not allow, in whichever way it is imported.
 */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { after, describe, it } from "node:test"
import { findFiles, findSpecifiers, read, ROOT, WORKSPACES, type Manifest } from "./workspaces.ts"

type Planted = readonly [title: string, path: string, source: string, rule: string | null]

const importOf = (specifier: string): string =>
  `import { one } from "${specifier}"\n\nexport const two: number = one\n`
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `export const line${index} = ${index}\n`).join("")
const branches = (count: number): string =>
  `export function choose(at: number): number {\n${Array.from({ length: count }, (_, index) => `  if (at === ${index}) return ${index * 7}\n`).join("")}  return 0\n}\n`

const RESTRICTED = "no-restricted-imports"
const LEAVES = WORKSPACES.map(({ folder }) => folder).filter(
  (folder) => folder !== "packages/core" && folder !== "packages/safelight",
)

const PLANTED: readonly Planted[] = [
  ...LEAVES.map((folder): Planted => {
    const other = folder === "packages/engine" ? "@safelight/audit" : "@safelight/engine"
    return [`${folder} importing ${other}`, `${folder}/src/a.ts`, importOf(other), RESTRICTED]
  }),
  ...LEAVES.map((folder): Planted => [
    `${folder} importing the service`,
    `${folder}/src/b.ts`,
    importOf("safelight"),
    RESTRICTED,
  ]),
  ...LEAVES.map((folder): Planted => [
    `${folder} reaching into core's folder`,
    `${folder}/src/c.ts`,
    importOf("../../../packages/core/src/index.ts"),
    RESTRICTED,
  ]),
  ...LEAVES.map((folder): Planted => [
    `${folder} importing core`,
    `${folder}/src/d.ts`,
    importOf("@safelight/core"),
    folder === "packages/client" || folder === "packages/ai-sdk" ? RESTRICTED : null,
  ]),
  [
    "the AI SDK's provider importing the client",
    "packages/ai-sdk/src/e.ts",
    importOf("@safelight/client"),
    null,
  ],
  [
    "the AI SDK's provider importing its specification",
    "packages/ai-sdk/src/f.ts",
    importOf("@ai-sdk/provider"),
    null,
  ],
  [
    "the AI SDK's provider importing another library",
    "packages/ai-sdk/src/g.ts",
    importOf("@ai-sdk/provider-utils"),
    RESTRICTED,
  ],
  ["the client importing a library", "packages/client/src/e.ts", importOf("valibot"), RESTRICTED],
  ["the client importing Node", "packages/client/src/f.ts", importOf("node:path"), RESTRICTED],
  [
    "the client's one file for a file system importing it",
    "packages/client/src/artifacts/save-file.ts",
    importOf("node:fs/promises"),
    null,
  ],
  [
    "a storage importing the store",
    "adapters/storage-sqlite/src/e.ts",
    importOf("@safelight/store"),
    null,
  ],
  [
    "another adapter importing the store",
    "adapters/http/src/e.ts",
    importOf("@safelight/store"),
    RESTRICTED,
  ],
  [
    "a storage of artifacts importing what all share",
    "adapters/artifacts-s3/src/e.ts",
    importOf("@safelight/artifacts"),
    null,
  ],
  [
    "another adapter importing what storages of artifacts share",
    "adapters/http/src/f.ts",
    importOf("@safelight/artifacts"),
    RESTRICTED,
  ],
  [
    "the studio importing the painter",
    "adapters/channel-studio/src/e.ts",
    importOf("@safelight/painter"),
    null,
  ],
  ["an adapter importing host", "adapters/http/src/h.ts", importOf("@safelight/host"), null],
  [
    "an adapter importing host's part for children",
    "adapters/media-inspector/src/h.ts",
    importOf("@safelight/host/child"),
    null,
  ],
  [
    "a storage importing host",
    "adapters/storage-sqlite/src/h.ts",
    importOf("@safelight/host"),
    null,
  ],
  [
    "another package importing host",
    "packages/engine/src/h.ts",
    importOf("@safelight/host"),
    RESTRICTED,
  ],
  [
    "the console importing the client",
    "packages/console/src/e.ts",
    importOf("@safelight/client"),
    null,
  ],
  [
    "the door for agents importing the client",
    "adapters/mcp/src/e.ts",
    importOf("@safelight/client"),
    null,
  ],
  [
    "another adapter importing the client",
    "adapters/channel-http/src/f.ts",
    importOf("@safelight/client"),
    RESTRICTED,
  ],
  [
    "another channel importing the painter",
    "adapters/channel-http/src/e.ts",
    importOf("@safelight/painter"),
    RESTRICTED,
  ],
  [
    "the painter opening files",
    "packages/painter/src/e.ts",
    importOf("node:fs/promises"),
    RESTRICTED,
  ],
  [
    "the painter starting processes",
    "packages/painter/src/f.ts",
    importOf("node:child_process"),
    RESTRICTED,
  ],
  ["a proof importing Node", "packages/proof/src/e.ts", importOf("node:crypto"), RESTRICTED],
  ["a proof importing a library", "packages/proof/src/f.ts", importOf("valibot"), RESTRICTED],
  ["the part of proofs for Node", "packages/proof/src/node/e.ts", importOf("node:crypto"), null],
  [
    "the part of proofs for Node opening files",
    "packages/proof/src/node/f.ts",
    importOf("node:fs"),
    RESTRICTED,
  ],
  ["the painter hashing", "packages/painter/src/g.ts", importOf("node:crypto"), null],
  [
    "core importing a package of ours",
    "packages/core/src/a.ts",
    importOf("@safelight/engine"),
    RESTRICTED,
  ],
  ["core importing Node", "packages/core/src/b.ts", importOf("node:fs"), RESTRICTED],
  ["core importing another library", "packages/core/src/c.ts", importOf("kysely"), RESTRICTED],
  ["core importing valibot", "packages/core/src/d.ts", importOf("valibot"), null],
  [
    "core reading the clock",
    "packages/core/src/e.ts",
    "export const now = (): number => Date.now()\n",
    "no-restricted-globals",
  ],
  [
    "core rolling dice",
    "packages/core/src/f.ts",
    "export const roll = (): number => Math.random()\n",
    "no-restricted-properties",
  ],
  [
    "core seeing the host",
    "packages/core/src/g.ts",
    "export const host = (): unknown => globalThis\n",
    "no-restricted-globals",
  ],
  ["a default export", "packages/audit/src/g.ts", "export default 1\n", "no-default-export"],
  ["any", "packages/audit/src/h.ts", "export const one: any = 1\n", "no-explicit-any"],
  [
    "a promise nobody waits for",
    "packages/audit/src/o.ts",
    "export function go(): void {\n  Promise.resolve(1)\n}\n",
    "no-floating-promises",
  ],
  ["a file of 300 lines", "packages/audit/src/i.ts", lines(300), null],
  ["a file of 301 lines", "packages/audit/src/j.ts", lines(301), "max-lines"],
  ["a function of twelve ways", "packages/audit/src/k.ts", branches(11), null],
  ["a function of thirteen ways", "packages/audit/src/l.ts", branches(12), "complexity"],
  ["two files in a circle", "packages/audit/src/m.ts", importOf("./n.ts"), "no-cycle"],
  [
    "the other of the two",
    "packages/audit/src/n.ts",
    'import { two } from "./m.ts"\n\nexport const one: number = two\n',
    "no-cycle",
  ],
]

interface Diagnostic {
  readonly code: string
  readonly filename: string
}

/** Lints the planted files in a house of their own: nothing is written into the work tree. */
function lintPlanted(house: string): Diagnostic[] {
  cpSync(join(ROOT, ".oxlintrc.json"), join(house, ".oxlintrc.json"))
  symlinkSync(join(ROOT, "node_modules"), join(house, "node_modules"))
  for (const [, path, source] of PLANTED) {
    mkdirSync(join(house, dirname(path)), { recursive: true })
    writeFileSync(join(house, path), source)
  }
  const oxlint = join(ROOT, "node_modules/oxlint/bin/oxlint")
  const result = spawnSync(process.execPath, [oxlint, "--format", "json", "packages", "adapters"], {
    cwd: house,
    encoding: "utf8",
  })
  assert.ok(result.stdout.startsWith("{"), `${result.stdout}${result.stderr}`)
  return (JSON.parse(result.stdout) as { diagnostics: Diagnostic[] }).diagnostics
}

describe("the linter", () => {
  const house = mkdtempSync(join(tmpdir(), "safelight-planted-"))
  after(() => rmSync(house, { recursive: true }))
  const found = lintPlanted(house)

  for (const [title, path, , rule] of PLANTED) {
    it(`${rule === null ? "lets pass" : "refuses"} ${title}`, () => {
      const codes = found.filter(({ filename }) => filename === path).map(({ code }) => code)
      const watched = new Set(PLANTED.flatMap(([, , , each]) => each ?? []))
      const names = codes.map((code) => /\(([^)]*)\)/.exec(code)?.[1] ?? code)
      assert.deepEqual(
        [...new Set(names.filter((name) => watched.has(name)))],
        rule === null ? [] : [rule],
      )
    })
  }
})

describe("the rule", () => {
  const ours = WORKSPACES.map(({ manifest }) => manifest.name)

  function allowedIn(folder: string): readonly string[] {
    if (folder === "packages/core" || folder === "packages/client") return []
    if (folder === "packages/ai-sdk") return ["@safelight/client"]
    if (folder === "packages/safelight") return ours
    if (folder === "packages/console") return ["@safelight/core", "@safelight/client"]
    if (folder.startsWith("adapters/artifacts-") || folder === "packages/testkit") {
      return ["@safelight/core", "@safelight/artifacts"]
    }
    if (!folder.startsWith("adapters/")) return ["@safelight/core"]
    const shared = ["@safelight/core", "@safelight/host"]
    if (folder === "adapters/channel-studio") return [...shared, "@safelight/painter"]
    if (["adapters/mcp", "adapters/openai"].includes(folder))
      return [...shared, "@safelight/client"]
    return folder.startsWith("adapters/storage-") ? [...shared, "@safelight/store"] : shared
  }

  for (const { folder, manifest } of WORKSPACES) {
    it(`is kept by what ${folder} depends on`, () => {
      const named = namesOf(manifest).filter((name) => ours.includes(name))
      assert.deepEqual(
        named.filter((name) => !allowedIn(folder).includes(name)),
        [],
      )
    })

    it(`is kept by every import in ${folder}, types and import() included`, () => {
      const files = findFiles(`${folder}/src`, ".ts", ".tsx", ".js")
      const foreign = files.flatMap((path) =>
        findSpecifiers(read(path))
          .filter((each) => ours.some((name) => each === name || each.startsWith(`${name}/`)))
          .filter((each) => !allowedIn(folder).includes(toPackage(each)) || !isPublic(each))
          .map((each) => `${path}: ${each}`),
      )
      assert.deepEqual(foreign, [])
    })
  }

  it("is kept by core's own dependencies: xstate, immer and valibot", () => {
    const core = WORKSPACES.find(({ folder }) => folder === "packages/core")
    const named = Object.keys(core?.manifest.dependencies ?? {})
    assert.deepEqual(named.toSorted(), ["immer", "valibot", "xstate"])
  })

  it("is kept by the tests too: only an adapter's, the painter's and the console's own look behind public names", () => {
    const deep = findFiles("tests", ".ts")
      .filter((path) => path !== "tests/architecture/dependency-rule.test.ts")
      .flatMap((path) => {
        const [, adapter, other] =
          /^tests\/(?:(adapters\/[^/.]+)|(painter|console)\/)/.exec(path) ?? []
        const folder = adapter ?? (other && `packages/${other}`)
        const own = folder === undefined ? undefined : `/${folder}/src/`
        return findSpecifiers(read(path))
          .filter((each) => isDeep(path, each))
          .filter((each) => own === undefined || !each.includes(own))
          .map((each) => `${path}: ${each}`)
      })
    assert.deepEqual(deep, [])
  })
})

function namesOf({ dependencies, devDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...devDependencies })
}

/** The package of a specifier, without the subpath. */
function toPackage(specifier: string): string {
  const [scope = "", name] = specifier.split("/")
  return scope.startsWith("@") ? `${scope}/${name}` : scope
}

/** A package's name, or a subpath that it exports. */
function isPublic(specifier: string): boolean {
  const [scope, name, ...rest] = specifier.split("/")
  const owner = WORKSPACES.find(({ manifest }) => manifest.name === `${scope}/${name}`)
  const subpath = [".", ...rest].join("/")
  return rest.length === 0 || owner?.manifest.exports?.[subpath] !== undefined
}

/** Whether an import of a test looks behind a package's public names. */
function isDeep(path: string, specifier: string): boolean {
  if (specifier.startsWith("@safelight/")) return !isPublic(specifier)
  if (!specifier.startsWith(".")) return false
  return /^(?:packages|adapters)\//.test(posix.join(posix.dirname(path), specifier))
}

describe("the reader of imports", () => {
  it("sees them in every form", () => {
    const source = [
      'import { a } from "one"',
      'import type { b } from "two"',
      'import "three"',
      'const four = await import("four")',
      'export { e } from "five"',
      'type Six = import("six").Six',
    ].join("\n")
    assert.deepEqual(findSpecifiers(source), ["one", "two", "three", "four", "five", "six"])
  })
})
