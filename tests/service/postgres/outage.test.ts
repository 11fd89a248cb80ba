/**
 * The database goes away under a running service and comes back: meanwhile every answer says so and
 * nothing is accepted, and afterwards all is well again in the same process, with nobody's help.
 */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { startProxy } from "../../faults/tcp-proxy.ts"
import { execute } from "../../support/test-database.ts"
import { parseKey, type Serving } from "../command/command-process.ts"
import { download, post, reach, read, submit, untilAnswered } from "../client.ts"
import { createTestRole } from "./postgres-role.ts"
import { createPostgresWorld, type PostgresWorld } from "./postgres-world.ts"

const NEVER = "[studio: at-once] snow"
const KEYS = ["order-1", "order-2", "order-3"]

interface Outage {
  begin(): Promise<void>
  end(): Promise<void>
}

interface Served {
  readonly service: Serving
  readonly client: { readonly url: string; readonly key: string }
}

async function serve(world: PostgresWorld, database: string): Promise<Served> {
  const service = await world.serve(["--database", database])
  return { service, client: { url: service.url, key: parseKey(service.stdout()) } }
}

async function countTasks({ database }: PostgresWorld): Promise<number> {
  return (await execute(database, "select 1 from tasks")).length
}

async function readErrorCode(response: Response): Promise<string> {
  const text = await response.text()
  assert.equal(response.status, 503, text)
  return (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code
}

function assertWaits(response: Response, code: string): void {
  assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/, code)
}

async function assertUnavailable({ client }: Served, tasks: readonly string[]): Promise<void> {
  for (const response of await Promise.all(tasks.map((path) => read(client, path)))) {
    const code = await readErrorCode(response)
    assert.equal(code, "service_unavailable")
    assertWaits(response, code)
  }
  const keyed = KEYS.map((key) => post(client, NEVER, { "idempotency-key": key }))
  // Nothing could be sent, so its outcome is known: without a key too it may be repeated.
  const bare = await post(client, NEVER)
  assert.equal(await readErrorCode(bare), "service_unavailable")
  assertWaits(bare, "bare")
  for (const response of await Promise.all(keyed)) {
    assertWaits(response, await readErrorCode(response))
  }
}

/** Through the outage and out of it again. */
async function assertSurvived(world: PostgresWorld, served: Served, outage: Outage): Promise<void> {
  const { service, client } = served
  const done = await submit(client, "[studio: at-once] fog")
  await reach(client, done, "succeeded")
  const slow = await submit(client, "[studio: delay 3s] smoke")
  await reach(client, slow, "running")
  await outage.begin()
  const ready = (): Promise<Response> => fetch(`${service.url}/readyz`)
  await untilAnswered(ready, 503)
  // A finished task is remembered; whatever else is asked for stands in the database.
  const task = `/v1/tasks/${slow}`
  await assertUnavailable(served, ["/v1/tasks", task, `${task}/usage`, `${task}/artifacts`])
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)

  await outage.end()
  await untilAnswered(ready, 200)
  await reach(client, slow, "succeeded")
  await download(client, slow)
  assert.equal(await countTasks(world), 2)
  // What was refused is accepted now, once.
  const headers = { "idempotency-key": KEYS[0] }
  assert.equal((await post(client, NEVER, headers)).headers.has("idempotent-replayed"), false)
  assert.equal((await post(client, NEVER, headers)).headers.get("idempotent-replayed"), "true")
  await submit(client, "[studio: at-once] rain")
  assert.equal(await countTasks(world), 4)
  // Quiet in the end, and what it wrote is JSON to the last line.
  service.kill("SIGTERM")
  const { code, stderr } = await service.ended
  assert.equal(code, 0)
  for (const line of stderr.trimEnd().split("\n")) assert.equal(typeof JSON.parse(line), "object")
  await Promise.all(["verify", "replay"].map((name) => world.succeed("audit", name)))
}

// Mostly they wait, each for a database of its own.
describe("the database goes away", { concurrency: true }, () => {
  test("connections that are cut and refused: 503 until the database is back", async (t) => {
    const world = await createPostgresWorld(t)
    const direct = new URL(world.database)
    await using proxy = await startProxy({ port: Number(direct.port) })
    direct.port = String(proxy.port)
    const served = await serve(world, direct.href)
    await assertSurvived(world, served, {
      async begin() {
        proxy.accept("closed")
        proxy.cut()
      },
      async end() {
        proxy.accept("forwarded")
      },
    })
  })

  test("a password that is changed under a service: 503 until it is right again", async (t) => {
    const world = await createPostgresWorld(t)
    await using role = await createTestRole(world.database)
    world.addSecret(role.password)
    world.addSecret(new URL(role.url).password)
    const served = await serve(world, role.url)
    await assertSurvived(world, served, {
      async begin() {
        await role.setPassword("another one")
        await role.cut()
      },
      end: () => role.setPassword(role.password),
    })
  })

  test("a crowd that waits for a database that is silent makes few connections", async (t) => {
    const world = await createPostgresWorld(t)
    const direct = new URL(world.database)
    await using proxy = await startProxy({ port: Number(direct.port) })
    direct.port = String(proxy.port)
    const { service, client } = await serve(world, direct.href)
    const id = await submit(client, "[studio: at-once] fog")
    await reach(client, id, "succeeded")
    proxy.accept("silent")
    proxy.cut()
    const crowd = Array.from({ length: 200 }, () => read(client, "/v1/tasks"))
    const ready = (): Promise<Response> => fetch(`${service.url}/readyz`)
    await untilAnswered(ready, 503)
    proxy.accept("forwarded")
    const statuses = (await Promise.all(crowd)).map(({ status }) => status)
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 503),
      [],
    )
    await untilAnswered(ready, 200)
    // As its README counts them.
    assert.ok(proxy.count() <= 11, `${proxy.count()} connections`)
    await reach(client, await submit(client, "[studio: at-once] rain"), "succeeded")
  })
})
