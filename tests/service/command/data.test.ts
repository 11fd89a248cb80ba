/**
 * Which data a command works on where a folder was typed and a database is named elsewhere. Nobody
 * listens where the database would be, so a command that went there says ECONNREFUSED.
 */
import assert from "node:assert/strict"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, test } from "node:test"
import { runCommand, temporaryFolder } from "./command-process.ts"

const DATABASE = "postgres://safelight:hunter22@127.0.0.1:1/safelight"
const IN_VARIABLE = { environment: { SAFELIGHT_DATABASE_URL: DATABASE } }

const COMMANDS = [
  ["accounts", "set", "ada", "--weight", "2"],
  ["accounts", "list"],
  ["accounts", "show", "ada"],
  ["keys", "create", "--account", "ada"],
  ["keys", "list"],
  ["keys", "rotate", "x"],
  ["keys", "revoke", "x"],
  ["links", "revoke", "--account", "ada"],
  ["links", "rotate"],
  ["tasks", "erase", "x"],
  ["tasks", "resolve", "x", "--fail"],
  ["audit", "verify"],
  ["audit", "replay"],
  ["rebuild"],
  ["import", "moved.ndjson"],
  ["export"],
  ["export", "--move"],
  ["export", "--unseal"],
]

describe("a folder that is typed beside a database that is not", { concurrency: 4 }, () => {
  for (const words of COMMANDS) {
    test(`is refused by \`${words.join(" ")}\`, which names both`, async (t) => {
      const folder = await temporaryFolder(t)
      await writeFile(join(folder, "moved.ndjson"), "")
      const { code, stdout, stderr } = await runCommand([...words, "--data", "old"], {
        folder,
        ...IN_VARIABLE,
      })
      const [line = "", ...rest] = stderr.split("\n")
      assert.ok(line.includes(`--data names the folder ${join(folder, "old")}, `), stderr)
      assert.match(
        line,
        /, SAFELIGHT_DATABASE_URL a PostgreSQL database: leave out one of the two$/,
      )
      assert.deepEqual([code, stdout, rest], [2, "", [""]])
      assert.deepEqual(await readdir(folder), ["moved.ndjson"])
    })
  }

  test("is refused where the configuration file names the database", async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ database: DATABASE }))
    const { code, stderr } = await runCommand(["keys", "list", "--data", "old"], { folder })
    assert.match(stderr, /^safelight: [^\n]*, `database` in the configuration file a PostgreSQL/)
    assert.doesNotMatch(stderr, /hunter22/)
    assert.equal(code, 2)
  })

  test("is taken where the variable is empty, and the database where both were typed", async (t) => {
    const folder = await temporaryFolder(t)
    const words = ["keys", "list", "--data", "old"]
    const empty = { environment: { SAFELIGHT_DATABASE_URL: "" } }
    const [inFolder, typed, unsaid] = await Promise.all([
      runCommand(words, { folder, ...empty }),
      runCommand([...words, "--database", DATABASE], { folder }),
      runCommand(["keys", "list"], { folder, ...IN_VARIABLE }),
    ])
    assert.match(inFolder.stderr, /there is no Safelight database in \S+old;/)
    assert.match(typed.stderr, /ECONNREFUSED/)
    assert.match(unsaid.stderr, /ECONNREFUSED/)
  })
})

test("sealing a database is refused by the name of what named it", async (t) => {
  const folder = await temporaryFolder(t)
  const ways = ["--move", "--unseal"].flatMap((way) => [
    { words: ["export", way, "--database", DATABASE], options: {}, name: "--database" },
    { words: ["export", way], options: IN_VARIABLE, name: "SAFELIGHT_DATABASE_URL" },
  ])
  for (const { words, options, name } of ways) {
    const { code, stderr } = await runCommand(words, { folder, ...options })
    assert.match(
      stderr,
      new RegExp(`^safelight: only a data folder can be sealed.*: ${name} names`),
    )
    assert.equal(code, 2)
  }
})
