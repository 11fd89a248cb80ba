/** Code that a configuration file names runs only if the file was named, or if nobody else could have written it. */
import assert from "node:assert/strict"
import { chmod, chown, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { runCommand, temporaryFolder, type CommandEnd } from "./command-process.ts"

const FILE = "safelight.config.json"
const MARK = "it-ran"
/** What the files do is to be seen; nothing can be made of them. */
const CODE = `import { writeFileSync } from "node:fs"
writeFileSync(new URL("./${MARK}", import.meta.url), "")
export default {}
`
const BY_MODELS = { models: ["./own.mjs"] }
const BY_MODULE = { channels: [{ type: "studio" }, { module: "./own.mjs" }] }

interface World {
  readonly folder: string
  run(...words: readonly string[]): Promise<CommandEnd>
  hasRun(): Promise<boolean>
}

async function createWorld(t: TestContext, content: object): Promise<World> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, "own.mjs"), CODE)
  await writeFile(join(folder, FILE), JSON.stringify(content))
  // Whatever this process masks.
  await chmod(join(folder, FILE), 0o644)
  return {
    folder,
    run: (...words) => runCommand(words, { folder }),
    hasRun: async () => (await readdir(folder)).includes(MARK),
  }
}

const OPENINGS: readonly (readonly [string, RegExp, (folder: string) => Promise<void>])[] = [
  [
    "a file that others may write",
    /safelight\.config\.json can be written by other users/,
    (folder) => chmod(join(folder, FILE), 0o646),
  ],
  [
    "a file that its group may write",
    /safelight\.config\.json can be written by other users/,
    (folder) => chmod(join(folder, FILE), 0o664),
  ],
  [
    "a folder that others may write",
    /safelight-\S+ can be written by other users/,
    (folder) => chmod(folder, 0o777),
  ],
]

describe("code that is named by a file which nobody named", { skip: !process.getuid }, () => {
  for (const [name, expected, open] of OPENINGS) {
    test(`does not run out of ${name}, and the refusal says how it would`, async (t) => {
      for (const content of [BY_MODELS, BY_MODULE]) {
        const { folder, hasRun, run } = await createWorld(t, content)
        await open(folder)
        for (const words of [["serve"], ["channels", "check"], ["models", "check"]]) {
          const { code, stderr, stdout } = await run(...words)
          assert.match(stderr, expected)
          assert.match(stderr, /^safelight: safelight\.config\.json .*: .*--config\n$/)
          assert.deepEqual([code, stdout], [2, ""])
        }
        assert.equal(await hasRun(), false)
      }
    })
  }

  const skip = process.getuid?.() !== 0 && "only root can give a file away"
  test("does not run out of another user's file", { skip }, async (t) => {
    const { folder, hasRun, run } = await createWorld(t, BY_MODULE)
    await chown(join(folder, FILE), 65_534, 65_534)
    const { code, stderr } = await run("channels", "check")
    assert.match(stderr, /safelight\.config\.json belongs to another user: .*--config\n$/)
    assert.deepEqual([code, await hasRun()], [2, false])
  })

  test("does not keep commands from the data, and channels are listed and paused without it", async (t) => {
    const { folder, hasRun, run } = await createWorld(t, BY_MODULE)
    await run("keys", "create", "--account", "a")
    await chmod(folder, 0o777)
    assert.equal((await run("keys", "list")).code, 0)
    const { code, stdout } = await run("channels", "list", "--json")
    const listed = JSON.parse(stdout) as { channel: string; left_out: string | null }[]
    assert.equal(code, 0)
    assert.deepEqual(
      listed.map(({ channel, left_out: why }) => [channel, /--config/.test(why ?? "")]),
      [
        ["studio", false],
        [join(folder, "own.mjs"), true],
      ],
    )
    assert.equal((await run("channels", "pause", "studio")).code, 0)
    assert.equal(await hasRun(), false)
  })

  test("is no model's where channels are listed, however the file is kept", async (t) => {
    const { hasRun, run } = await createWorld(t, BY_MODELS)
    await run("keys", "create", "--account", "a")
    assert.equal((await run("channels", "list")).code, 0)
    assert.equal(await hasRun(), false)
  })

  test("runs out of a file of one's own, and out of any file that is named", async (t) => {
    const own = await createWorld(t, BY_MODULE)
    await own.run("channels", "check")
    assert.equal(await own.hasRun(), true)
    const named = await createWorld(t, BY_MODULE)
    await chmod(named.folder, 0o777)
    await named.run("channels", "check", "--config", FILE)
    assert.equal(await named.hasRun(), true)
  })
})
