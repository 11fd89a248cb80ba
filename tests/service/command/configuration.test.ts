/** Where a configuration comes from, who wins, and how each mistake is named. */
import assert from "node:assert/strict"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { isSafelightError, MODELS } from "@safelight/core"
import { DEFAULTS, loadConfiguration, type ConfigurationFlags } from "safelight"
import { runCommand, temporaryFolder } from "./command-process.ts"

interface Given {
  readonly file?: unknown
  readonly flags?: ConfigurationFlags
  readonly environment?: Readonly<Record<string, string>>
}

async function load(t: TestContext, { file, flags = {}, environment = {} }: Given) {
  const folder = await temporaryFolder(t)
  const text = typeof file === "string" ? file : JSON.stringify(file)
  if (file !== undefined) await writeFile(join(folder, "safelight.config.json"), text)
  return { folder, configuration: await loadConfiguration({ flags, environment, folder }) }
}

async function refusal(t: TestContext, given: Given): Promise<string> {
  const error = await load(t, given).catch((thrown: unknown) => thrown)
  assert.ok(isSafelightError(error), "it was not refused")
  assert.equal(error.code, "invalid-configuration")
  return error.message
}

const PRICED = Object.fromEntries(
  MODELS.map(({ id, artifacts }) => [
    id,
    artifacts[0] === "image" ? { perImageMicros: 1 } : { perVideoSecondMicros: 2 },
  ]),
)

describe("precedence", () => {
  test("nothing given yields the defaults, on this machine alone", async (t) => {
    const { configuration, folder } = await load(t, {})
    assert.deepEqual(configuration, { ...DEFAULTS, data: join(folder, "data") })
    assert.equal(configuration.host, "127.0.0.1")
    assert.equal(configuration.retentionMs, 14 * 86_400_000)
  })

  test("a flag wins over a variable, a variable over the file, the file over the default", async (t) => {
    const file = { port: 1, host: "file", publicUrl: "http://file.example", logLevel: "warn" }
    const environment = {
      SAFELIGHT_PORT: "2",
      SAFELIGHT_HOST: "environment",
      SAFELIGHT_DATA: "environment",
    }
    const { configuration, folder } = await load(t, { file, environment, flags: { port: "3" } })
    assert.equal(configuration.port, 3)
    assert.equal(configuration.host, "environment")
    assert.equal(configuration.publicUrl, "http://file.example")
    assert.equal(configuration.logLevel, "warn")
    assert.equal(configuration.data, join(folder, "environment"))
  })

  test("an empty variable counts as none", async (t) => {
    const environment = { SAFELIGHT_PORT: "", SAFELIGHT_CONFIG: "", SAFELIGHT_HOST: "" }
    const { configuration } = await load(t, { environment })
    assert.equal(configuration.port, 8080)
    assert.equal(configuration.host, "127.0.0.1")
  })

  test("a variable of ours that is not known is refused, by name", async (t) => {
    const strays = ["SAFELIGHT_PROT", "SAFELIGHT_UPSTREAM", "SAFELIGHT_", "SAFELIGHT_RETENTION_MS"]
    for (const name of strays) {
      await assert.rejects(load(t, { environment: { [name]: "1" } }), {
        code: "invalid-configuration",
        message: `${name}: no variable of this name is known`,
      })
    }
    const known = { SAFELIGHT_URL: "x", SAFELIGHT_API_KEY: "y", SAFELIGHT_TEST_SEED: "7" }
    await load(t, { environment: known })
    // A service may buy at several others.
    const keys = { SAFELIGHT_UPSTREAM_KEY: "a", SAFELIGHT_UPSTREAM_KEY_TWO: "b" }
    await load(t, { environment: keys })
  })

  test("the level of the log comes from the flag, the variable or the file", async (t) => {
    const file = { logLevel: "error" }
    const environment = { SAFELIGHT_LOG_LEVEL: "warn" }
    const level = async (given: Given) => (await load(t, given)).configuration.logLevel
    assert.equal(await level({ file }), "error")
    assert.equal(await level({ file, environment }), "warn")
    assert.equal(await level({ file, environment, flags: { logLevel: "silent" } }), "silent")
    await assert.rejects(level({ flags: { logLevel: "loud" } }), /^.*--log-level: expected one of/)
  })

  test("the console and the reference are there until the file says otherwise", async (t) => {
    const read = async (file: unknown) => {
      const { console: hasConsole, reference } = (await load(t, { file })).configuration
      return [hasConsole, reference]
    }
    assert.deepEqual(await read({}), [true, true])
    assert.deepEqual(await read({ console: false }), [false, true])
    assert.deepEqual(await read({ reference: false }), [true, false])
    const fault = /^safelight\.config\.json: reference: expected true or false$/
    assert.match(await refusal(t, { file: { reference: "no" } }), fault)
  })

  test("the file that was read is named, and none where none was", async (t) => {
    const { configuration, folder } = await load(t, { file: {} })
    assert.equal(configuration.file, join(folder, "safelight.config.json"))
    assert.equal((await load(t, {})).configuration.file, undefined)
  })

  test("a relative data folder starts where it was written", async (t) => {
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, "etc"))
    await writeFile(join(folder, "etc/media.json"), JSON.stringify({ data: "store" }))
    const source = { folder, environment: {} }
    const named = await loadConfiguration({ ...source, flags: { config: "etc/media.json" } })
    assert.equal(named.data, join(folder, "etc/store"))
    const flags = { config: "etc/media.json", data: "store" }
    const flagged = await loadConfiguration({ ...source, flags })
    assert.equal(flagged.data, join(folder, "store"))
  })

  test("places of the database, the artifacts and the role come from all three", async (t) => {
    const file = {
      database: "postgres://file/x",
      listenDatabase: "postgres://file/y",
      readDatabase: "postgres://file/z",
      artifacts: "s3://file",
      role: "worker",
    }
    const environment = {
      SAFELIGHT_DATABASE_URL: "postgresql://variable/x",
      SAFELIGHT_LISTEN_DATABASE_URL: "postgresql://variable/y",
      SAFELIGHT_READ_DATABASE_URL: "postgresql://variable/z",
      SAFELIGHT_ARTIFACTS_URL: "s3://variable?region=eu-1",
      SAFELIGHT_ROLE: "api",
    }
    const read = async (given: Given) => {
      const { configuration } = await load(t, given)
      const { artifacts, database, listenDatabase, readDatabase, role } = configuration
      return [database, listenDatabase, readDatabase, artifacts, role]
    }
    const flags = {
      database: "postgres://flag/x",
      listenDatabase: "postgres://flag/y",
      readDatabase: "postgres://flag/z",
      artifacts: "s3://flag",
      role: "all",
    }
    assert.deepEqual(await read({ file }), Object.values(file))
    assert.deepEqual(await read({ file, environment }), Object.values(environment))
    assert.deepEqual(await read({ file, environment, flags }), Object.values(flags))
  })

  test("an address to listen at, or to read from, needs a database", async (t) => {
    for (const name of ["listenDatabase", "readDatabase"]) {
      assert.equal(
        await refusal(t, { flags: { [name]: "postgres://flag/y" } }),
        `${name} needs PostgreSQL; --database names it`,
      )
    }
  })

  test("an address to read from that is none is refused by its source, and not repeated", async (t) => {
    const readDatabase = "mysql://u:secret@h/x"
    for (const [given, name] of [
      [{ flags: { readDatabase } }, /^--read-database: /],
      [
        { environment: { SAFELIGHT_READ_DATABASE_URL: readDatabase } },
        /^SAFELIGHT_READ_DATABASE_URL: /,
      ],
      [{ file: { readDatabase } }, /readDatabase: /],
    ] as const) {
      const words = await refusal(t, given)
      assert.match(words, name)
      assert.doesNotMatch(words, /secret/)
    }
  })

  test("a folder for artifacts starts where it was written", async (t) => {
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, "etc"))
    await writeFile(join(folder, "etc/media.json"), JSON.stringify({ artifacts: "files" }))
    const source = { folder, environment: {} }
    const flags = { config: "etc/media.json" }
    const named = await loadConfiguration({ ...source, flags })
    assert.equal(named.artifacts, join(folder, "etc/files"))
    const flagged = await loadConfiguration({ ...source, flags: { ...flags, artifacts: "files" } })
    assert.equal(flagged.artifacts, join(folder, "files"))
  })

  test("a bucket's credentials come from the environment, whole or not at all", async (t) => {
    const flags = { artifacts: "s3://bucket" }
    const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }
    const read = async (environment: Record<string, string>, given = flags) =>
      (await load(t, { flags: given, environment })).configuration.credentials
    assert.deepEqual(await read(keys), { accessKeyId: "id", secretAccessKey: "secret" })
    assert.deepEqual(await read({ ...keys, AWS_SESSION_TOKEN: "token" }), {
      accessKeyId: "id",
      secretAccessKey: "secret",
      sessionToken: "token",
    })
    assert.equal(await read({ AWS_SECRET_ACCESS_KEY: "secret" }), undefined)
    assert.equal(await read({ ...keys, AWS_ACCESS_KEY_ID: "" }), undefined)
    assert.equal(await read(keys, { artifacts: "folder" }), undefined)
  })

  test("a public URL loses its last slash, a host its brackets", async (t) => {
    const flags = { publicUrl: "https://media.example/base/", host: "[::1]" }
    const { configuration } = await load(t, { flags })
    assert.equal(configuration.publicUrl, "https://media.example/base")
    assert.equal(configuration.host, "::1")
  })
})

describe("a wrong configuration is named", () => {
  const cases: readonly (readonly [string, Given, RegExp])[] = [
    ["an unknown field", { file: { prot: 1 } }, /config\.json: unknown field "prot"$/],
    [
      "an unknown field further in",
      { file: { studio: { cpu: 1 } } },
      /unknown field "studio.cpu"$/,
    ],
    ["__proto__", { file: '{"__proto__":{"port":1}}' }, /unknown field "__proto__"$/],
    ["a wrong kind", { file: { port: "80" } }, /config\.json: port: .* 0 to 65535$/],
    ["a list for an object", { file: { engine: [] } }, /engine: expected an object$/],
    ["a currency of lines", { file: { currency: "EUR\nx" } }, /currency: expected a short name/],
    ["a long currency", { file: { currency: "e".repeat(17) } }, /currency: expected a short name/],
    ["a fraction", { file: { retentionMs: 1000.5 } }, /retentionMs: expected a whole number/],
    ["a level that is none", { file: { logLevel: "loud" } }, /logLevel: expected one of "silent"/],
    ["several mistakes", { file: { a: 1, host: "", port: -1 } }, /\(and 2 more\)$/],
    ["no object at all", { file: "[]" }, /expected an object$/],
    ["no JSON", { file: "{port: 1}" }, /config\.json: not JSON at line 1 column 2$/],
    ["a flag", { flags: { port: "80a" } }, /^--port: expected a whole number from 0 to 65535$/],
    ["a flag out of range", { flags: { port: "65536" } }, /^--port: /],
    ["a variable", { environment: { SAFELIGHT_PORT: "x" } }, /^SAFELIGHT_PORT: /],
    ["an empty flag", { flags: { host: " " } }, /^--host: expected a text that is not empty$/],
    ["a public URL with a query", { flags: { publicUrl: "http://a/?b" } }, /^--public-url: /],
    ["a public URL with a user", { flags: { publicUrl: "http://a:b@c/" } }, /^--public-url: /],
    [
      "a database that is none",
      { file: { database: "mysql://a/b" } },
      /json: database: expected a/,
    ],
    [
      "a database without a scheme",
      { flags: { database: "host/b" } },
      /^--database: expected a URL/,
    ],
    [
      "artifacts at a server",
      { flags: { artifacts: "https://a/b" } },
      /^--artifacts: expected s3:/,
    ],
    ["an unknown role", { environment: { SAFELIGHT_ROLE: "boss" } }, /^SAFELIGHT_ROLE: .*"all"/],
    ["a role without PostgreSQL", { file: { role: "api" } }, /^role: "api" needs PostgreSQL/],
    ["another scheme", { file: { publicUrl: "ftp://a/" } }, /publicUrl: expected an http/],
    ["a missing file", { flags: { config: "no.json" } }, /^no\.json: there is no such file$/],
    ["a folder for a file", { flags: { config: "." } }, /^\.: can't be read \(EISDIR\)$/],
    ["no price table", { file: { prices: [] } }, /prices: expected at least one price table$/],
    [
      "a price of no model",
      { file: { prices: [{ version: "1", models: { ...PRICED, typo: {} } }] } },
      /prices: the last table prices "typo", which is no model$/,
    ],
    [
      "a model without its rate",
      {
        file: {
          prices: [{ version: "1", models: { ...PRICED, [MODELS[0]?.id ?? ""]: {} } }],
        },
      },
      /prices: the last table has no price for "vendor-a/,
    ],
    [
      "a version that is taken",
      { file: { prices: [{ version: "default-1", models: PRICED }] } },
      /version "default-1" names another table already$/,
    ],
  ]
  for (const [name, given, expected] of cases) {
    test(name, async (t) => assert.match(await refusal(t, given), expected))
  }

  test("the value itself is never repeated", async (t) => {
    const message = await refusal(t, { file: { publicUrl: "sl_live_secret" } })
    assert.doesNotMatch(message, /secret/)
  })

  test("the command says it in one line and ends with 2", async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "safelight.config.json"), '{"prot": 1}')
    const { code, stderr, stdout } = await runCommand(["serve"], { folder })
    assert.equal(stderr, 'safelight: safelight.config.json: unknown field "prot"\n')
    assert.equal(stdout, "")
    assert.equal(code, 2)
  })
})

test("a configured price book keeps the built-in table, so that older tasks stay priced", async (t) => {
  const file = { prices: [{ version: "2026-11", models: PRICED }] }
  const { configuration } = await load(t, { file })
  const versions = configuration.prices.map(({ version }) => version)
  assert.deepEqual(versions, ["default-1", "2026-11"])
})
