/** The `keys` commands, alone and beside a service that runs on the same folder. */
import assert from "node:assert/strict"
import { readdir } from "node:fs/promises"
import { test } from "node:test"
import { parseApiKey } from "@safelight/core"
import { parseKey, runCommand, startService, temporaryFolder } from "./command-process.ts"

interface Listed {
  readonly id: string
  readonly account: string
  readonly scopes: readonly string[]
  readonly revoked_at: number
}

async function list(folder: string): Promise<readonly Listed[]> {
  const { stdout } = await runCommand(["keys", "list", "--json"], { folder })
  return JSON.parse(stdout) as readonly Listed[]
}

test("create prints a key that keeps the form, and only its id stays", async (t) => {
  const folder = await temporaryFolder(t)
  const { code, stdout } = await runCommand(["keys", "create", "--account", "studio"], { folder })
  assert.equal(code, 0)
  const key = parseKey(stdout)
  const parts = parseApiKey(key)
  assert.ok(parts !== undefined, "the checksum is wrong")
  const shown = await runCommand(["keys", "list"], { folder })
  assert.ok(shown.stdout.includes(parts.id))
  assert.ok(!shown.stdout.includes(parts.secret))
})

test("create --json prints id, account and key, and nothing else", async (t) => {
  const folder = await temporaryFolder(t)
  const words = ["keys", "create", "--account", "a", "--scopes", "tasks:read", "--json"]
  const { stdout } = await runCommand(words, { folder })
  const printed = JSON.parse(stdout) as Record<string, string>
  assert.deepEqual(Object.keys(printed), ["id", "account", "key"])
  assert.equal(parseApiKey(printed["key"] ?? "")?.id, printed["id"])
  const [only] = await list(folder)
  assert.deepEqual(only?.scopes, ["tasks:read"])
  assert.equal(only?.account, "a")
})

test("beside a running service a key works at once and stops working once revoked", async (t) => {
  const folder = await temporaryFolder(t)
  const { url } = await startService(folder)
  const made = await runCommand(["keys", "create", "--account", "b", "--json"], { folder })
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string }
  const ask = async () => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${url}/v1/tasks/none`, { headers })).status
  }
  assert.equal(await ask(), 404)
  assert.equal((await runCommand(["keys", "revoke", id], { folder })).code, 0)
  // It holds within a second (http-decisions §7).
  while ((await ask()) !== 401);
})

test("a second revocation keeps the first moment", async (t) => {
  const folder = await temporaryFolder(t)
  await runCommand(["keys", "create", "--account", "a"], { folder })
  const [{ id } = { id: "" }] = await list(folder)
  await runCommand(["keys", "revoke", id], { folder })
  const [first] = await list(folder)
  assert.equal((await runCommand(["keys", "revoke", id], { folder })).code, 0)
  const [second] = await list(folder)
  assert.notEqual(first?.revoked_at, 0)
  assert.deepEqual(second, first)
})

test("a key that was made before the first start keeps it from making another", async (t) => {
  const folder = await temporaryFolder(t)
  await runCommand(["keys", "create", "--account", "a"], { folder })
  const { stdout } = await startService(folder)
  assert.equal(parseKey(stdout()), "")
})

const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["no account", ["create"], /required option '--account/],
  ["an empty account", ["create", "--account", " "], /expected 1 to 200 printable characters/],
  ["a scope that is none", ["create", "--account", "a", "--scopes", "all"], /expected some of/],
  ["an id that is none", ["revoke", "nobody"], /there is no key|no Safelight database/],
  ["a folder without a database", ["list"], /there is no Safelight database in/],
  ["an unknown command", ["make"], /unknown command 'make'/],
]
for (const [name, words, expected] of mistakes) {
  test(`${name} is one line, ends with 2 and makes nothing`, async (t) => {
    const folder = await temporaryFolder(t)
    const { code, stderr } = await runCommand(["keys", ...words], { folder })
    assert.match(stderr, /^safelight: [^\n]+\n$/)
    assert.match(stderr, expected)
    assert.equal(code, 2)
    assert.deepEqual(await readdir(folder), [])
  })
}

test("an unknown id is told from a known one", async (t) => {
  const folder = await temporaryFolder(t)
  await runCommand(["keys", "create", "--account", "a"], { folder })
  const { code, stderr } = await runCommand(["keys", "revoke", "nobody"], { folder })
  assert.match(stderr, /there is no key with this id/)
  assert.equal(code, 2)
})
