/** What a published package is made of: npm packs it, whether it was built before or not. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { promisify } from "node:util"
import { read, ROOT, WORKSPACES } from "./workspaces.ts"

interface Manifest {
  readonly engines?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** What runs for others than the service: the client's users have older ones. */
const OWN_ENGINES: Readonly<Record<string, object>> = { "packages/client": { node: ">=20" } }

const PUBLISHED = WORKSPACES.filter(({ folder }) => !folder.startsWith("tests"))

function readManifest(path: string): Manifest {
  return JSON.parse(read(path)) as Manifest
}

describe("a published package", () => {
  for (const { folder, manifest } of PUBLISHED) {
    it(`${manifest.name} has the licence, says which Node it needs, and builds before it is packed`, () => {
      const { engines, scripts } = readManifest(join(folder, "package.json"))
      assert.deepEqual(engines, OWN_ENGINES[folder] ?? readManifest("package.json").engines)
      assert.equal(read(join(folder, "LICENSE")), read("LICENSE"))
      assert.match(
        scripts?.["prepack"] ?? "",
        new RegExp(`^turbo run build --filter=${manifest.name}( |$)`),
      )
    })
  }

  it("holds its build, its sources, its README and the licence", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "safelight-pack-"))
    t.after(() => rm(folder, { recursive: true }))
    const cwd = join(ROOT, "packages/core")
    const words = ["pack", "--json", "--pack-destination", folder]
    await promisify(execFile)("npm", words, { cwd, shell: process.platform === "win32" })
    const archive = join(folder, "safelight-core-0.1.0.tgz")
    const { stdout } = await promisify(execFile)("tar", ["-tzf", archive])
    const files = stdout.split("\n")
    const expected = ["dist/index.js", "dist/index.d.ts", "src/index.ts", "README.md", "LICENSE"]
    for (const name of expected) assert.ok(files.includes(`package/${name}`), name)
  })
})
