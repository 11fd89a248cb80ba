/** The house: what may stand at the root, and the form of every package. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import {
  findFiles,
  findSpecifiers,
  read,
  ROOT,
  WORKSPACES,
  type Workspace,
  stripComments,
} from "./workspaces.ts"

/** Design §1, and what tools insist on. */
const ALLOWED_AT_ROOT = [
  "packages",
  "adapters",
  "tests",
  "package.json",
  "package-lock.json",
  "turbo.json",
  "tsconfig.base.json",
  "README.md",
  "LICENSE",
  "NOTICE",
]

/** Packages with a second entry, for whoever may not or can't load the first. */
const SUBPATHS: Readonly<Record<string, readonly string[]>> = {
  "adapters/http": ["./web"],
  "packages/client": ["./parameters"],
  "packages/host": ["./child"],
  "packages/proof": ["./node"],
  "packages/testkit": ["./stubs"],
}

/** A package whose build holds all that it imports: an installation needs none of it. */
const BUNDLED = "packages/console"

const CONTRACTS = [
  { prefix: "adapters/storage-", contract: "describeStorage" },
  { prefix: "adapters/artifacts-", contract: "describeArtifactStorage" },
  { prefix: "adapters/channel-", contract: "describeChannel" },
] as const

describe("the root", () => {
  const listing = spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" })
  const lacksGit = listing.status !== 0
  const skip = lacksGit && process.env["CI"] === undefined ? "not a git work tree" : false

  it("holds only what design §1 allows", { skip }, () => {
    assert.equal(listing.status, 0, listing.stderr)
    const entries = new Set(listing.stdout.split("\0").map((path) => path.split("/")[0] ?? ""))
    const strangers = [...entries].filter(
      (entry) => entry !== "" && !entry.startsWith(".") && !ALLOWED_AT_ROOT.includes(entry),
    )
    assert.deepEqual(strangers, [])
  })
})

function describePackage({ folder, manifest }: Workspace): void {
  describe(folder, () => {
    const parent = folder.split("/")[1]
    const dependencies =
      (folder === BUNDLED ? manifest.devDependencies : manifest.dependencies) ?? {}

    it("is named after its folder", () => {
      const expected = parent === "safelight" ? "safelight" : `@safelight/${parent}`
      assert.equal(manifest.name, expected)
    })

    it("is an ES module with a description, a licence and nothing done at import", () => {
      assert.equal(manifest.type, "module")
      assert.equal(manifest.license, "Apache-2.0")
      assert.equal(manifest.sideEffects, false)
      assert.ok(manifest.description?.endsWith("."))
    })

    it("exports its sources to us and its build to everybody, types before code", () => {
      const { "./package.json": itself, ...entries } = manifest.exports ?? {}
      assert.equal(itself, "./package.json")
      assert.deepEqual(Object.keys(entries), [".", ...(SUBPATHS[folder] ?? [])])
      for (const [subpath, entry] of Object.entries(entries)) {
        const index = `${subpath.slice(1)}/index`
        assert.deepEqual(entry, {
          "@safelight/source": `./src${index}.ts`,
          types: `./dist${index}.d.ts`,
          default: `./dist${index}.js`,
        })
        const order = ["@safelight/source", "types", "default"]
        assert.deepEqual(Object.keys(entry as object), order)
      }
    })

    it("publishes its build and its sources", () => {
      assert.ok(["dist", "src"].every((each) => manifest.files?.includes(each)))
    })

    it("pins what it depends on exactly", () => {
      const loose = Object.entries(dependencies).filter(
        ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
      )
      assert.deepEqual(loose, [])
    })

    it("names every package that it imports, and no other", () => {
      const files = [
        ...findFiles(`${folder}/src`, ".ts", ".tsx", ".js"),
        ...findFiles(`${folder}/bin`, ".js"),
        // What takes part in a build, not in what is built.
        ...(folder === BUNDLED ? findBuildFiles(folder) : []),
      ]
      const texts = files.map((path) => stripComments(read(path)))
      const used = texts
        .flatMap(findSpecifiers)
        // Its own files, by path or by a name of its `imports`, and Node's modules.
        .filter((specifier) => !/^(?:[.#]|node:|virtual:)/.test(specifier))
        .map(toPackageName)
        .filter((name) => name !== manifest.name)
      const named = Object.keys(dependencies)
      const unnamed = [...new Set(used)].filter((name) => !named.includes(name))
      assert.deepEqual(unnamed, [], "imported, but not named in package.json")
      const unused = named.filter((name) => !texts.some((text) => text.includes(`"${name}`)))
      assert.deepEqual(unused, [], "named in package.json, but not used")
    })

    if (folder === BUNDLED) {
      it("needs nothing to be installed, since its build holds what it imports", () => {
        assert.deepEqual(Object.keys(manifest.dependencies ?? {}), [])
      })
    }

    it("has a README of its own", () => {
      assert.ok(existsSync(join(ROOT, folder, "README.md")))
      assert.match(read(`${folder}/README.md`), new RegExp(`^# ${manifest.name}\n`))
    })
  })
}

function findBuildFiles(folder: string): string[] {
  return [...findFiles(`${folder}/build`, ".ts"), `${folder}/vite.config.ts`]
}

function toPackageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

for (const workspace of WORKSPACES) describePackage(workspace)

describe("one contract a port", () => {
  const tests = findFiles("tests/adapters", ".test.ts").map(read)
  for (const { prefix, contract } of CONTRACTS) {
    for (const { folder, manifest } of WORKSPACES.filter((each) =>
      each.folder.startsWith(prefix),
    )) {
      it(`is passed by ${folder}: a test calls ${contract}`, () => {
        const isCalled = tests.some(
          (source) => source.includes(`${contract}(`) && source.includes(`"${manifest.name}"`),
        )
        assert.ok(
          isCalled,
          `no test in tests/adapters imports ${manifest.name} and calls ${contract}`,
        )
      })
    }
  }
})
