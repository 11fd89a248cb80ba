/** The `keys` commands, alone and beside a service that runs on the same folder. */
import assert from "node:assert/strict"
import { readdir } from "node:fs/promises"
import { test } from "node:test"
import { setTimeout } from "node:timers/promises"
import { parseApiKey } from "@safelight/access"
import { parseKey, runCommand, startService, temporaryFolder } from "./command-process.ts"

interface Listed {
  readonly id: string
  readonly account: string
  readonly scopes: readonly string[]
  readonly state: string
  readonly created_at: number
  readonly revoked_at: number
  readonly expires_at: number
}

interface Made {
  readonly id: string
  readonly key: string
  readonly expires_at: number
}

interface Rotated extends Made {
  readonly replaced: { readonly id: string; readonly expires_at: number }
}

async function list(folder: string): Promise<readonly Listed[]> {
  const { stdout } = await runCommand(["keys", "list", "--json"], { folder })
  return JSON.parse(stdout) as readonly Listed[]
}

async function make<Result = Made>(folder: string, ...words: readonly string[]): Promise<Result> {
  const { stdout, stderr } = await runCommand(["keys", ...words, "--json"], { folder })
  assert.equal(stderr, "")
  return JSON.parse(stdout) as Result
}

/** What a service answers to a request with this key. */
async function ask(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/tasks/none`, { headers })
  const { error } = (await response.json()) as { error: { code: string } }
  return error.code
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

test("create --json prints id, account, key and its end, and nothing else", async (t) => {
  const folder = await temporaryFolder(t)
  const words = ["keys", "create", "--account", "a", "--scopes", "tasks:read", "--json"]
  const { stdout } = await runCommand(words, { folder })
  const printed = JSON.parse(stdout) as Made
  assert.deepEqual(Object.keys(printed), ["id", "account", "key", "expires_at"])
  assert.equal(parseApiKey(printed.key)?.id, printed.id)
  assert.equal(printed.expires_at, 0)
  const [only] = await list(folder)
  assert.deepEqual(only?.scopes, ["tasks:read"])
  assert.equal(only?.account, "a")
})

test("beside a running service a key works at once and stops working once revoked", async (t) => {
  const folder = await temporaryFolder(t)
  const { url } = await startService(folder)
  const { id, key } = await make(folder, "create", "--account", "b")
  assert.equal(await ask(url, key), "task_not_found")
  assert.equal((await runCommand(["keys", "revoke", id], { folder })).code, 0)
  // It holds within a second (http-decisions §7).
  while ((await ask(url, key)) !== "api_key_revoked") await setTimeout(20)
})

test("a key with an end is shown with it, and holds until then", async (t) => {
  const folder = await temporaryFolder(t)
  const { url } = await startService(folder)
  // The other account is asked until its rate is used up.
  const long = await make(folder, "create", "--account", "c", "--expires-in", "30d")
  const [, listed] = await list(folder)
  assert.equal(listed?.expires_at, long.expires_at)
  assert.equal(long.expires_at - listed.created_at, 30 * 86_400)
  assert.equal(listed.state, "valid")
  const words = ["keys", "create", "--account", "b", "--expires-in", "1s"]
  const { stdout } = await runCommand(words, { folder })
  assert.match(stdout, /^API key of account "b", shown only now; it ends \d{4}-\S+Z\.$/m)
  while ((await ask(url, parseKey(stdout))) !== "api_key_expired") await setTimeout(20)
  const states = (await list(folder)).map(({ state }) => state)
  assert.deepEqual(states, ["valid", "valid", "expired"])
  assert.equal(await ask(url, long.key), "task_not_found")
})

test("list names the end and the state of every key", async (t) => {
  const folder = await temporaryFolder(t)
  const { id } = await make(folder, "create", "--account", "a", "--scopes", "tasks:read")
  await runCommand(["keys", "revoke", id], { folder })
  await make(folder, "create", "--account", "a", "--expires-in", "1h", "--scopes", "tasks:read")
  const { stdout } = await runCommand(["keys", "list"], { folder })
  const [head, first, second] = stdout.split("\n").map((line) => line.split(/ {2,}/))
  assert.deepEqual(head, ["ID", "ACCOUNT", "CREATED", "EXPIRES", "STATE", "SCOPES"])
  assert.equal(first?.[3], "never")
  assert.match(first[4] ?? "", /^revoked \d{4}-\S+Z$/)
  assert.match(second?.[3] ?? "", /^\d{4}-\S+Z$/)
  assert.equal(second?.[4], "valid")
})

test("rotate makes a key of the same account and scopes, and ends the old one at once", async (t) => {
  const folder = await temporaryFolder(t)
  const { url } = await startService(folder)
  const words = ["create", "--account", "b", "--scopes", "tasks:read,links:write"]
  const old = await make(folder, ...words)
  const made = await make<Rotated>(folder, "rotate", old.id)
  assert.deepEqual(Object.keys(made), ["id", "account", "key", "expires_at", "replaced"])
  assert.equal(parseApiKey(made.key)?.id, made.id)
  assert.equal(made.replaced.id, old.id)
  const [, first, second] = await list(folder)
  assert.deepEqual([first?.state, second?.state], ["expired", "valid"])
  assert.equal(first?.expires_at, made.replaced.expires_at)
  const { account, scopes } = first
  assert.deepEqual([second?.account, second?.scopes, second?.expires_at], [account, scopes, 0])
  assert.equal(await ask(url, made.key), "task_not_found")
  assert.equal(await ask(url, old.key), "api_key_expired")
})

test("a grace lets the old key go on beside the new one", async (t) => {
  const folder = await temporaryFolder(t)
  const { url } = await startService(folder)
  const old = await make(folder, "create", "--account", "b")
  const words = ["keys", "rotate", old.id, "--grace", "1d", "--expires-in", "30d"]
  const { stdout } = await runCommand(words, { folder })
  const key = parseKey(stdout)
  assert.match(stdout, new RegExp(`^${old.id} ends \\d{4}-\\S+Z\\.$`, "m"))
  const [, first, second] = await list(folder)
  assert.equal((first?.expires_at ?? 0) - (second?.created_at ?? 0), 86_400)
  assert.equal((second?.expires_at ?? 0) - (second?.created_at ?? 0), 30 * 86_400)
  assert.equal(await ask(url, key), "task_not_found")
  assert.equal(await ask(url, old.key), "task_not_found")
})

test("a grace never prolongs a key that ends before", async (t) => {
  const folder = await temporaryFolder(t)
  const old = await make(folder, "create", "--account", "b", "--expires-in", "1h")
  const made = await make<Rotated>(folder, "rotate", old.id, "--grace", "1d")
  assert.equal(made.replaced.expires_at, old.expires_at)
  const [first] = await list(folder)
  assert.equal(first?.expires_at, old.expires_at)
})

test("the successor of a key that ends lasts as long as that was made for", async (t) => {
  const folder = await temporaryFolder(t)
  const old = await make(folder, "create", "--account", "b", "--expires-in", "1h")
  const made = await make<Rotated>(folder, "rotate", old.id)
  const [first, second] = await list(folder)
  assert.equal(first?.state, "expired")
  assert.equal(second?.expires_at, made.expires_at)
  const lasts = (second?.expires_at ?? 0) - (second?.created_at ?? 0)
  assert.ok(Math.abs(lasts - 3_600) <= 1, `it lasts ${lasts} s`)
})

test("a revoked key is not rotated, and no key is made", async (t) => {
  const folder = await temporaryFolder(t)
  const { id } = await make(folder, "create", "--account", "a")
  await runCommand(["keys", "revoke", id], { folder })
  const { code, stderr, stdout } = await runCommand(["keys", "rotate", id], { folder })
  assert.match(stderr, /^safelight: this key is revoked[^\n]*\n$/)
  assert.deepEqual([code, stdout], [2, ""])
  assert.equal((await list(folder)).length, 1)
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
  ["no term", ["create", "--account", "a", "--expires-in", "0s"], /'--expires-in <duration>'/],
  ["a term of no unit", ["create", "--account", "a", "--expires-in", "30"], /as in 90s, 15m/],
  ["a grace below 0", ["rotate", "x", "--grace", "-1d"], /'--grace <duration>'.*; 0s to 3650d/],
  ["a rotation of none", ["rotate", "x"], /no Safelight database/],
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
  for (const verb of ["revoke", "rotate"]) {
    const { code, stderr } = await runCommand(["keys", verb, "nobody"], { folder })
    assert.match(stderr, /there is no key with this id/)
    assert.equal(code, 2)
  }
})

test("a key that stands where a name belongs is not repeated", async (t) => {
  const folder = await temporaryFolder(t)
  const { key } = await make(folder, "create", "--account", "a")
  const places = [
    [key],
    ["keys", "create", "--account", "a", "--scopes", key],
    ["keys", "list", "--config", key],
  ]
  for (const words of places) {
    const { code, stderr } = await runCommand(words, { folder })
    assert.ok(!stderr.includes(key.slice(0, 20)), stderr)
    assert.equal(code, 2)
  }
})
