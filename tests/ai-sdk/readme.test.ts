/** The programs of the provider's README: as one program they compile, and run against the service. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { it } from "node:test"
import { promisify } from "node:util"
import { createFirstKey } from "@safelight/access"
import { createService, loadConfiguration } from "safelight"
import { ROOT } from "../architecture/workspaces.ts"
import { SOURCE_FLAGS } from "../support/own-process.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

const README = readFileSync(join(ROOT, "packages/ai-sdk/README.md"), "utf8")
const PRINTED = `
console.log(JSON.stringify([image.mediaType, video.mediaType, providerMetadata]))
`

it("the programs of the provider's README make pictures and a film", async () => {
  const blocks = Array.from(README.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, each = ""]) => each)
  assert.equal(blocks.length, 3)
  await using folder = await createTemporaryFolder()
  const flags = { data: join(folder.path, "data"), port: "0" }
  const configuration = await loadConfiguration({ flags, environment: {}, folder: folder.path })
  const service = await createService({ configuration })
  try {
    const key = (await createFirstKey(service.storage, Date.now()))?.key
    const named = `const baseURL = ${JSON.stringify(service.url)}
const apiKey = ${JSON.stringify(key)}\n`
    await symlink(join(ROOT, "node_modules"), join(folder.path, "node_modules"))
    await writeFile(join(folder.path, "program.ts"), named + blocks.join("") + PRINTED)
    const argv = [...SOURCE_FLAGS, "program.ts"]
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: folder.path })
    const [picture, film, metadata] = JSON.parse(stdout) as [string, string, Metadata]
    assert.deepEqual([picture, film], ["image/png", "video/mp4"])
    assert.deepEqual(
      metadata.safelight.videos.map(({ key: name }) => name),
      ["video"],
    )
  } finally {
    await service.stop()
  }
})

interface Metadata {
  readonly safelight: { readonly videos: readonly { readonly key: string }[] }
}
