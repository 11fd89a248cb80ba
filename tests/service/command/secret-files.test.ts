/** Secrets by file: NAME_FILE and systemd's credentials in place of any variable that holds one. */
import assert from "node:assert/strict"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { createService, loadConfiguration } from "safelight"
import { SILENT_LOG } from "@safelight/core"
import { STUBS } from "@safelight/testkit/stubs"
import { runCommand, startService, temporaryFolder } from "./command-process.ts"

const SECRET = "recognisable-id:recognisable-secret"
const DATABASE = "postgres://recognisable@db.example/media"

interface World {
  readonly folder: string
  readonly write: (name: string, content: string | Uint8Array) => Promise<string>
}

async function createWorld(t: TestContext): Promise<World> {
  const folder = await temporaryFolder(t)
  return {
    folder,
    async write(name, content) {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    },
  }
}

async function load({ folder }: World, environment: Readonly<Record<string, string>>) {
  return loadConfiguration({ flags: {}, environment, folder })
}

describe("what is read", () => {
  test("a file is the variable, less one line break at its end, from the working directory on", async (t) => {
    const world = await createWorld(t)
    for (const end of ["", "\n", "\r\n"]) {
      await world.write("url", `${DATABASE}${end}`)
      const { database } = await load(world, { SAFELIGHT_DATABASE_URL_FILE: "url" })
      assert.equal(database, DATABASE)
    }
    const absolute = join(world.folder, "url")
    const { database } = await load(world, { SAFELIGHT_DATABASE_URL_FILE: absolute })
    assert.equal(database, DATABASE)
  })

  test("a credential of systemd has the variable's name, and gives way to the variable and its file", async (t) => {
    const world = await createWorld(t)
    await world.write("SAFELIGHT_DATABASE_URL", `${DATABASE}\n`)
    await world.write("other", "postgres://other/x")
    const credentials = { CREDENTIALS_DIRECTORY: world.folder }
    assert.equal((await load(world, credentials)).database, DATABASE)
    const variable = { ...credentials, SAFELIGHT_DATABASE_URL: "postgres://variable/x" }
    assert.equal((await load(world, variable)).database, "postgres://variable/x")
    const file = { ...credentials, SAFELIGHT_DATABASE_URL_FILE: "other" }
    assert.equal((await load(world, file)).database, "postgres://other/x")
    assert.equal((await load(world, { CREDENTIALS_DIRECTORY: "/nowhere" })).database, undefined)
  })

  test("empty variables count as unset, and settings that hold no secret have no file", async (t) => {
    const world = await createWorld(t)
    await world.write("SAFELIGHT_PORT", "9000")
    const empty = { SAFELIGHT_DATABASE_URL: "", SAFELIGHT_DATABASE_URL_FILE: "" }
    const { database, port } = await load(world, { ...empty, CREDENTIALS_DIRECTORY: world.folder })
    assert.deepEqual([database, port], [undefined, 8080])
    await assert.rejects(load(world, { SAFELIGHT_PORT_FILE: "SAFELIGHT_PORT" }), {
      message: "SAFELIGHT_PORT_FILE: no variable of this name is known",
    })
  })

  test("a bucket's credentials and the database's password", async (t) => {
    const world = await createWorld(t)
    const environment = {
      SAFELIGHT_ARTIFACTS_URL: "s3://bucket?endpoint=http://127.0.0.1:1&region=eu-1",
      AWS_ACCESS_KEY_ID_FILE: await world.write("id", "an-id\n"),
      AWS_SECRET_ACCESS_KEY_FILE: await world.write("key", " a key?\n\n"),
      AWS_SESSION_TOKEN_FILE: await world.write("token", "a-token"),
      PGPASSWORD_FILE: await world.write("password", "p@ss/ %&word\n"),
    }
    const without = await load(world, { ...environment, SAFELIGHT_DATABASE_URL: DATABASE })
    assert.deepEqual(without.credentials, {
      accessKeyId: "an-id",
      secretAccessKey: " a key?\n",
      sessionToken: "a-token",
    })
    const url = new URL(without.database ?? "")
    assert.equal(url.searchParams.get("password"), "p@ss/ %&word")
    assert.equal(url.host, "db.example")
    const listening = await load(world, {
      ...environment,
      SAFELIGHT_DATABASE_URL: DATABASE,
      SAFELIGHT_LISTEN_DATABASE_URL_FILE: await world.write("listen", `${DATABASE}\n`),
      SAFELIGHT_READ_DATABASE_URL_FILE: await world.write("read", `${DATABASE}\n`),
    })
    assert.equal(listening.listenDatabase, without.database)
    assert.equal(listening.readDatabase, without.database)
    const own = "postgres://u:own@db.example/media"
    assert.equal((await load(world, { ...environment, SAFELIGHT_DATABASE_URL: own })).database, own)
  })

  test("a provider's key, by the usual variable and by one of the configuration's", async (t) => {
    const world = await createWorld(t)
    const stub = (await STUBS["fal"]?.()) ?? assert.fail()
    t.after(() => stub[Symbol.asyncDispose]())
    const fal = { type: "fal", baseUrl: stub.url }
    const channels = [fal, { ...fal, name: "second", keyVariable: "SECOND_KEY" }]
    await world.write("safelight.config.json", JSON.stringify({ channels }))
    const environment = {
      FAL_KEY_FILE: await world.write("fal", `${SECRET}\n`),
      CREDENTIALS_DIRECTORY: world.folder,
    }
    await world.write("SECOND_KEY", "invalid\n")
    const { folder } = world
    const { stdout } = await runCommand(["channels", "check"], { folder, environment })
    assert.equal(stdout, "fal: well: it takes the key\nsecond: it refuses the key (401)\n")
  })

  test("what a module of the operator's reads, and the key of a command", async (t) => {
    const world = await createWorld(t)
    const module = `export default ({ environment }) => { throw new TypeError("has " + environment.OWN_KEY.length) }`
    await world.write("own.mjs", module)
    const channels = [{ module: "./own.mjs", name: "own" }]
    await world.write("safelight.config.json", JSON.stringify({ channels }))
    const environment = { OWN_KEY_FILE: await world.write("own", `${SECRET}\n`) }
    const { folder } = world
    const checked = await runCommand(["channels", "check"], { folder, environment })
    assert.match(checked.stdout, new RegExp(`has ${SECRET.length}`))

    const data = await temporaryFolder(t)
    const { url } = await startService(data, ["--data", join(data, "data")])
    const made = await runCommand(
      ["keys", "create", "--account", "ada", "--data", join(data, "data"), "--json"],
      { folder: data },
    )
    const { key } = JSON.parse(made.stdout)
    await world.write("api", `${key}\n`)
    const asked = { SAFELIGHT_URL: url, SAFELIGHT_API_KEY_FILE: "api" }
    const { code } = await runCommand(["balance"], { folder, environment: asked })
    assert.equal(code, 0)
  })

  test("each is read once, at the start: a later content counts from the next start on", async (t) => {
    const world = await createWorld(t)
    const stub = (await STUBS["fal"]?.()) ?? assert.fail()
    t.after(() => stub[Symbol.asyncDispose]())
    const channels = [{ type: "fal", baseUrl: stub.url }]
    await world.write("safelight.config.json", JSON.stringify({ channels, port: 0 }))
    const environment = { FAL_KEY_FILE: await world.write("fal", SECRET) }
    const configuration = await load(world, environment)
    const service = await createService({ configuration, environment, log: SILENT_LOG })
    t.after(() => service.stop())
    await world.write("fal", "invalid")
    assert.equal((await service.operator.channels.checkChannel("fal"))?.key, "taken")
  })
})

describe("what is refused, by the names of the variable and the file alone", () => {
  interface Case {
    readonly name: string
    readonly says: string
    readonly given: (world: World) => Promise<Readonly<Record<string, string>>>
  }

  const VARIABLE = "SAFELIGHT_DATABASE_URL_FILE"
  const cases: readonly Case[] = [
    {
      name: "the variable too",
      says: "SAFELIGHT_DATABASE_URL and SAFELIGHT_DATABASE_URL_FILE are both set: leave out one",
      given: async ({ write }) => ({
        SAFELIGHT_DATABASE_URL: DATABASE,
        [VARIABLE]: await write("file", DATABASE),
      }),
    },
    {
      name: "no file",
      says: `${VARIABLE}: PATH/file: there is no such file`,
      given: async () => ({ [VARIABLE]: "file" }),
    },
    {
      name: "an empty file",
      says: `${VARIABLE}: PATH/file is empty`,
      given: async ({ write }) => ({ [VARIABLE]: await write("file", "\n") }),
    },
    {
      name: "a huge file",
      says: `${VARIABLE}: PATH/file is larger than 65536 bytes`,
      given: async ({ write }) => ({
        [VARIABLE]: await write("file", "recognisable".repeat(9_999)),
      }),
    },
    {
      name: "bytes",
      says: `${VARIABLE}: PATH/file is no text of UTF-8`,
      given: async ({ write }) => ({ [VARIABLE]: await write("file", Buffer.of(0xff, 0xfe)) }),
    },
    {
      name: "a folder",
      says: `${VARIABLE}: PATH/file is a folder`,
      given: async ({ folder }) => {
        await mkdir(join(folder, "file"))
        return { [VARIABLE]: "file" }
      },
    },
    {
      name: "a device",
      says: `${VARIABLE}: /dev/null is no file`,
      given: async () => ({ [VARIABLE]: "/dev/null" }),
    },
    {
      name: "a file that can't be read",
      says: `${VARIABLE}: PATH/file can't be read (ELOOP)`,
      given: async ({ folder }) => {
        await symlink("file", join(folder, "file"))
        return { [VARIABLE]: "file" }
      },
    },
    {
      name: "an empty credential",
      says: "credential SAFELIGHT_DATABASE_URL: PATH/SAFELIGHT_DATABASE_URL is empty",
      given: async ({ folder, write }) => {
        await write("SAFELIGHT_DATABASE_URL", "")
        return { CREDENTIALS_DIRECTORY: folder }
      },
    },
    {
      name: "what is no database",
      says: "SAFELIGHT_DATABASE_URL: expected a URL such as postgres://user@host:5432/database",
      given: async ({ write }) => ({ [VARIABLE]: await write("file", SECRET) }),
    },
  ]
  for (const { name, says, given } of cases) {
    test(name, async (t) => {
      const world = await createWorld(t)
      const environment = await given(world)
      const { code, stderr, stdout } = await runCommand(["keys", "list"], {
        folder: world.folder,
        environment,
      })
      assert.equal(stderr, `safelight: ${says.replace("PATH", world.folder)}\n`)
      assert.deepEqual([code, stdout], [2, ""])
      assert.ok(!stderr.includes("recognisable"))
    })
  }

  test("the key of a command, under the name by which it was given", async (t) => {
    const { folder, write } = await createWorld(t)
    await write("file", `${SECRET}\n\n`)
    await write("SAFELIGHT_API_KEY", `${SECRET} \n`)
    const given: readonly (readonly [string, Readonly<Record<string, string>>, ...string[]])[] = [
      ["SAFELIGHT_API_KEY_FILE", { SAFELIGHT_API_KEY_FILE: "file", CREDENTIALS_DIRECTORY: folder }],
      ["credential SAFELIGHT_API_KEY", { CREDENTIALS_DIRECTORY: folder }],
      ["SAFELIGHT_API_KEY", { SAFELIGHT_API_KEY: `${SECRET} x` }],
      ["--key", { SAFELIGHT_API_KEY_FILE: "file" }, "--key", `${SECRET} x`],
    ]
    for (const [name, environment, ...words] of given) {
      for (const command of ["mcp", "balance"]) {
        const end = await runCommand([command, ...words], { folder, environment })
        assert.equal(end.stderr, `safelight: ${name}: expected an API key\n`)
        assert.deepEqual([end.code, end.stdout], [2, ""])
      }
    }
  })

  test("a provider's key refuses the start, and is told of that channel alone by a check", async (t) => {
    const world = await createWorld(t)
    const { folder } = world
    const channels = [{ type: "fal" }, { type: "studio" }]
    await world.write("safelight.config.json", JSON.stringify({ channels, port: 0 }))
    const environment = { FAL_KEY_FILE: "gone" }
    const says = `FAL_KEY_FILE: ${join(folder, "gone")}: there is no such file`
    const checked = await runCommand(["channels", "check"], { folder, environment })
    assert.equal(checked.stdout, `fal: ${says}\nstudio: well: it needs no key\n`)
    const started = await runCommand(["serve"], { folder, environment })
    assert.deepEqual([started.code, started.stdout], [2, ""])
    assert.ok(started.stderr.endsWith(`safelight: ${says}\n`))
  })
})
