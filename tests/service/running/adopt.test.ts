/**
 * A service that is started on a database which was moved, copied or given another place for
 * artifacts, in this process: which starts are refused, in which words, and what an adoption changes.
 */
import assert from "node:assert/strict"
import { readdir, rename } from "node:fs/promises"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { createFirstKey } from "@safelight/access"
import type { Configuration, Service } from "safelight"
import { createTestDatabase } from "../../support/test-database.ts"
import { download, reach, readJson, submit, type Client } from "../client.ts"
import { openOwnServices } from "../own-services.ts"

interface World {
  readonly folder: string
  /** Starts a service that ends with the test, or before. */
  start(changes: Partial<Configuration>, adopt?: boolean): Promise<Service>
  /** Asserts that the start is refused, in these words. */
  refuse(changes: Partial<Configuration>, message: RegExp): Promise<void>
}

async function createWorld(t: TestContext): Promise<World> {
  const { folder, start } = await openOwnServices(t)
  const data = join(folder, "data")
  return {
    folder,
    start: (changes, adopt = false) => start({ data, ...changes }, { adopt }),
    refuse: (changes, message) =>
      assert.rejects(start({ data, ...changes }), { code: "invalid-configuration", message }),
  }
}

async function toClient({ storage, url }: Service): Promise<Client> {
  const made = await createFirstKey(storage, Date.now())
  assert.ok(made !== undefined)
  return { url, key: made.key }
}

const OTHER_PLACE = /is not the one that this database was started with: --artifacts names/
const OF_ANOTHER = /belongs to another database, or to another of its nodes: --artifacts names/
const COPY = /^this database is a copy or a restored backup/

describe("a data folder", () => {
  test("that was renamed is served as before", async (t) => {
    const { folder, start } = await createWorld(t)
    const first = await start({})
    const client = await toClient(first)
    const id = await submit(client, "fog")
    await reach(client, id, "succeeded")
    await first.stop()
    const data = join(folder, "renamed")
    await rename(join(folder, "data"), data)
    const second = await start({ data })
    assert.ok((await download({ ...client, url: second.url }, id)).byteLength > 0)
    const { adoptedAt, revision } = await second.storage.readDeployment()
    assert.deepEqual([adoptedAt, revision], [0, 1])
  })

  test("is refused with another place for artifacts, which stays as it was", async (t) => {
    const { folder, refuse, start } = await createWorld(t)
    const first = await start({})
    const client = await toClient(first)
    await first.stop()
    const artifacts = join(folder, "elsewhere")
    await refuse({ artifacts }, OTHER_PLACE)
    assert.deepEqual(await readdir(artifacts), [".incoming"])
    const moved = await start({ artifacts }, true)
    const there = { ...client, url: moved.url }
    await reach(there, await submit(there, "fog"), "succeeded")
    await moved.stop()
    await start({ artifacts }).then((service) => service.stop())
    await refuse({}, OF_ANOTHER)
  })
})

describe("a PostgreSQL database", () => {
  test("is served by no second node with a folder of its own", async (t) => {
    const { folder, refuse, start } = await createWorld(t)
    await using database = await createTestDatabase()
    const first = await start({ database: database.url })
    const client = await toClient(first)
    const id = await submit(client, "fog")
    await reach(client, id, "succeeded")
    const second = { database: database.url, data: join(folder, "second") }
    await refuse(second, OTHER_PLACE)
    await refuse(second, OTHER_PLACE)
    const artifacts = join(folder, "data", "artifacts")
    const shared = await start({ ...second, artifacts })
    assert.equal((await readJson({ ...client, url: shared.url }, `/v1/tasks/${id}`))["task_id"], id)
    assert.ok((await download({ ...client, url: shared.url }, id)).byteLength > 0)
    await Promise.all([first.stop(), shared.stop()])
  })

  test("that was copied is refused in every role until one node adopts it", async (t) => {
    const { folder, refuse, start } = await createWorld(t)
    await using database = await createTestDatabase()
    const artifacts = join(folder, "artifacts")
    // Both at once, on a database without a schema and a place without a mark.
    const nodes = await Promise.all([
      start({ database: database.url, artifacts, role: "api" }),
      start({ database: database.url, artifacts, role: "worker" }),
    ])
    await Promise.all(nodes.map((node) => node.stop()))
    await using copy = await createTestDatabase(database.name)
    const copied = { database: copy.url, artifacts }
    for (const role of ["all", "api", "worker"] as const) await refuse({ ...copied, role }, COPY)
    const original = await start({ database: database.url, artifacts })
    const adopted = await start({ ...copied, role: "worker" }, true)
    // The other nodes of the copy need no word any more.
    const node = await start({ ...copied, role: "api" })
    await Promise.all([original, adopted, node].map((service) => service.stop()))
  })
})
