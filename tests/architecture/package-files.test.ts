/**
 * What the manifest of a published package must say. `tests/packages` looks at what is packed by it.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { describe, it } from "node:test"
import { read, WORKSPACES } from "./workspaces.ts"

interface Manifest {
  readonly repository?: Readonly<Record<string, string>>
  readonly publishConfig?: object
  readonly engines?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** What runs for others than the service: the client's users have older ones. */
const OWN_ENGINES: Readonly<Record<string, object>> = {
  "packages/ai-sdk": { node: ">=22" },
  "packages/client": { node: ">=20" },
}

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

    it(`${manifest.name} can be published with provenance: public, from where its sources are`, () => {
      const { publishConfig, repository } = readManifest(join(folder, "package.json"))
      assert.deepEqual(publishConfig, { access: "public", provenance: true })
      assert.deepEqual(repository, {
        ...readManifest("package.json").repository,
        directory: folder,
      })
    })
  }
})
