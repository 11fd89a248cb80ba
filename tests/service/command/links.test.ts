/**
 * The `links` commands: what `create` makes of an answer against a scripted service, then links
 * that a real one signs, revoked and rotated beside it.
 */
import assert from "node:assert/strict"
import { readdir } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { describe, test, type TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import { runCommand, startService, temporaryFolder } from "./command-process.ts"
import { edit, recordTasks } from "./recorded-tasks.ts"
import { json, startScripted, type Answer } from "./scripted-service.ts"

const KEY = "sl_live_0123456789_secret"
const LINK = { url: "https://media.example/x?access=v1.a", expires_at: 1_800_000_000 }
const CREATED = json(201, LINK)

async function create(t: TestContext, words: readonly string[], answers: readonly Answer[]) {
  const { url, requests } = await startScripted(t, answers)
  const folder = await temporaryFolder(t)
  const environment = { SAFELIGHT_API_KEY: KEY }
  const all = ["links", "create", ...words, "--url", url]
  return { ...(await runCommand(all, { folder, environment })), requests }
}

describe("create", () => {
  test("it asks without a body and prints the address alone", async (t) => {
    const { code, stdout, stderr, requests } = await create(t, ["a/b", "image_1"], [CREATED])
    assert.equal(stdout, `${LINK.url}\n`)
    assert.equal(stderr, "it opens until 2027-01-15T08:00:00.000Z\n")
    assert.equal(code, 0)
    const [only] = requests
    assert.deepEqual(
      [only?.method, only?.url, only?.body],
      ["POST", "/v1/tasks/a%2Fb/artifacts/image_1/links", ""],
    )
    assert.equal(only?.headers.authorization, `Bearer ${KEY}`)
  })

  test("a term is sent in seconds; --json prints what the service sends", async (t) => {
    const words = ["x", "video", "--expires-in", "7d", "--json"]
    const { stdout, stderr, requests } = await create(t, words, [CREATED])
    assert.equal(requests[0]?.url, "/v1/tasks/x/artifacts/video/links?expires_in=604800")
    assert.deepEqual(JSON.parse(stdout), LINK)
    assert.equal(stderr, "")
  })

  test("it is asked again where the service is away for a moment: a link harms nothing", async (t) => {
    const error = { message: "words", type: "api_error", code: "service_unavailable" }
    const away = json(503, { error }, { "retry-after": "0" })
    const { code, requests } = await create(t, ["x", "video"], [away, CREATED])
    assert.deepEqual([code, requests.length], [0, 2])
  })

  const refusals: readonly (readonly [string, Answer, number, RegExp])[] = [
    ["409", refusal(409, "task_not_finished"), 2, /answered 409: words \(task_not_finished\)$/],
    ["410", refusal(410, "artifact_expired"), 2, /answered 410/],
    ["a connection that breaks off", (response) => response.destroy(), 3, /can't be reached/],
    ["an answer that is no link", json(201, { link: "x" }), 3, /not what the task API promises/],
  ]
  for (const [name, answer, expected, words] of refusals) {
    test(`${name} ends with ${expected}`, { timeout: 60_000 }, async (t) => {
      const { code, stdout, stderr } = await create(t, ["x", "video"], [answer])
      assert.match(stderr.trimEnd(), words)
      assert.deepEqual([code, stdout], [expected, ""])
    })
  }
})

function refusal(status: number, code: string): Answer {
  return json(status, { error: { message: "words", type: "api_error", code } })
}

const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["no artifact", ["create", "x"], /missing required argument 'artifact'/],
  ["a term that is too long", ["create", "x", "video", "--expires-in", "8d"], /1s to 7d/],
  ["no key", ["create", "x", "video"], /set SAFELIGHT_API_KEY or give --key/],
  ["nothing to revoke", ["revoke"], /expected --task and --key together, or --account alone/],
  ["half an artifact", ["revoke", "--task", "x"], /expected --task and --key together/],
  ["both", ["revoke", "--task", "x", "--key", "y", "--account", "z"], /or --account alone/],
  ["a folder without a database", ["revoke", "--account", "a"], /no Safelight database in/],
  ["a rotation in such a folder", ["rotate"], /no Safelight database in/],
]
for (const [name, words, expected] of mistakes) {
  test(`${name} is one line, ends with 2 and makes nothing`, async (t) => {
    const folder = await temporaryFolder(t)
    const { code, stdout, stderr } = await runCommand(["links", ...words], { folder })
    assert.match(stderr, /^safelight: [^\n]+\n$/)
    assert.match(stderr, expected)
    assert.deepEqual([code, stdout], [2, ""])
    assert.deepEqual(await readdir(folder), [])
  })
}

describe("beside a real service", () => {
  async function start(t: TestContext) {
    const folder = await temporaryFolder(t)
    const made = await runCommand(["keys", "create", "--account", "ada", "--json"], { folder })
    const { key } = JSON.parse(made.stdout) as { key: string }
    const [id = ""] = await recordTasks(`${folder}/data`, [edit(2)], { account: "ada" })
    const { url } = await startService(folder)
    const environment = { SAFELIGHT_API_KEY: key }
    const links = (...words: readonly string[]) =>
      runCommand(["links", ...words], { folder, environment })
    return {
      folder,
      id,
      links,
      async make(artifact: string): Promise<string> {
        const { stdout, stderr } = await links("create", id, artifact, "--url", url)
        assert.match(stdout, /^http:\S+\?access=v1\.\S+\n$/, stderr)
        return stdout.trimEnd()
      },
    }
  }

  const status = async (link: string): Promise<number> => {
    const response = await fetch(link)
    await response.bytes()
    return response.status
  }

  /** A service learns of it within a second. */
  async function close(link: string): Promise<void> {
    while ((await status(link)) !== 404) await setTimeout(20)
  }

  test("a link opens without a key until its artifact's links are revoked", async (t) => {
    const { id, links, make } = await start(t)
    const [first, second] = [await make("image_1"), await make("image_2")]
    assert.deepEqual([await status(first), await status(second)], [200, 200])
    const { code, stdout } = await links("revoke", "--task", id, "--key", "image_1")
    assert.deepEqual([code, stdout], [0, `revoked every link of image_1 of task ${id}\n`])
    await close(first)
    assert.equal(await status(second), 200)
    assert.equal(await status(await make("image_1")), 200)
  })

  test("an account's links are revoked together", async (t) => {
    const { links, make } = await start(t)
    const made = [await make("image_1"), await make("image_2")]
    const { code, stdout } = await links("revoke", "--account", "ada")
    assert.deepEqual([code, stdout], [0, 'revoked every link of account "ada"\n'])
    for (const link of made) await close(link)
    assert.equal(await status(await make("image_1")), 200)
  })

  test("a slip in a name does not look like a revocation", async (t) => {
    const { id, links } = await start(t)
    const slips = [
      ["--account", "adda"],
      ["--task", id, "--key", "image_3"],
      ["--task", "none", "--key", "image_1"],
    ]
    for (const words of slips) {
      const { code, stdout, stderr } = await links("revoke", ...words)
      assert.match(stderr, /^safelight: there is no [^\n]+\n$/)
      assert.deepEqual([code, stdout], [2, ""])
    }
  })

  test("after one rotation a link still opens, after two no longer", async (t) => {
    const { folder, links, make } = await start(t)
    const link = await make("image_1")
    const { stdout, stderr } = await links("rotate")
    const id = /^links are signed with key ([0-9A-Za-z]{8}) from now on\n$/.exec(stdout)?.[1]
    assert.ok(id !== undefined, stderr)
    assert.equal(await status(link), 200)
    let next = await make("image_1")
    // The new key signs within a second.
    while (!next.includes(`v1.${id}.`)) {
      await setTimeout(20)
      next = await make("image_1")
    }
    const rotated = JSON.parse((await links("rotate", "--json")).stdout) as Record<string, unknown>
    assert.deepEqual(Object.keys(rotated), ["id", "created_at"])
    await close(link)
    assert.equal(await status(next), 200)
    const database = new DatabaseSync(`${folder}/data/safelight.db`, { readOnly: true })
    const keys = database.prepare("select id from link_keys").all() as { id: string }[]
    database.close()
    assert.deepEqual(new Set(keys.map((key) => key.id)), new Set([id, rotated["id"]]))
  })
})
