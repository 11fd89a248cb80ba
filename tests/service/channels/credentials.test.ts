/**
 * Credentials that are missing, malformed, wrong or taken back put their own channel out, with a line
 * that says why, and no other: tasks are made elsewhere, and what was bought before is still fetched.
 */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { inspect } from "node:util"
import type { RunningStub } from "@safelight/testkit/stubs"
import { DEFAULTS, type Configuration, type Service } from "safelight"
import type { LogEntry } from "../../engine/log-recorder.ts"
import { until } from "../../support/until.ts"
import { openOwnServices, submitTask } from "../own-services.ts"

const KEY = "id-of-a-key:secret-of-a-key"

interface World {
  readonly stub: RunningStub
  readonly entries: readonly LogEntry[]
  start(key: string | undefined, types?: readonly string[]): Promise<Service>
}

async function createWorld(t: TestContext, runMs = 20): Promise<World> {
  const { entries, start, startStub } = await openOwnServices(t)
  const stub = await startStub("fal", { runMs })
  return {
    stub,
    entries,
    start(key, types = ["fal", "studio"]) {
      const channels: Configuration["channels"] = types.map((type, index) =>
        type === "fal" ? { type, baseUrl: stub.url } : { type, tier: index + 1 },
      )
      // No person may set these, and no test can wait so long.
      const fast = { backoffMs: 10, backoffMaxMs: 50, breakerOpenMs: 2_000 }
      const engine = { ...DEFAULTS.engine, ...fast } as Configuration["engine"]
      const environment = key === undefined ? {} : { FAL_KEY: key }
      return start({ channels, engine }, { environment })
    },
  }
}

async function submit(service: Service): Promise<string> {
  return (await submitTask(service)).id
}

async function finish(service: Service, id: string) {
  return (await service.engine.finished(id)) ?? assert.fail()
}

/** The lines about the channel, without what is not the same each time. */
function linesOf(entries: readonly LogEntry[]): readonly string[] {
  const own = entries.filter(({ fields }) => fields["channel"] === "fal")
  return own.map(({ level, fields, message }) => {
    return `${level}: ${message} (${String(fields["reason"])})`
  })
}

function assertUntold(entries: readonly LogEntry[], ...secrets: readonly string[]): void {
  for (const secret of secrets)
    assert.equal(inspect(entries, { depth: null }).includes(secret), false)
}

describe("a channel is out, with a line that says why, and another serves,", () => {
  const unusable: readonly (readonly [string, string | undefined, string])[] = [
    ["is missing", undefined, "the variable is empty"],
    ["is empty", "", "the variable is empty"],
    ["was copied with its line break", `${KEY}\n`, "the variable holds what can be no key"],
    [
      "has letters that no header takes",
      "schlüssel-of-a-key",
      "the variable holds what can be no key",
    ],
  ]
  for (const [words, key, what] of unusable) {
    it(`where its key ${words}`, async (t) => {
      const { entries, start, stub } = await createWorld(t)
      const service = await start(key)
      const { dispatch, state } = await finish(service, await submit(service))
      assert.deepEqual([state, dispatch?.channel], ["succeeded.available", "studio"])
      const line = `error: channel left out (${what})`
      assert.deepEqual(linesOf(entries), [line])
      assert.deepEqual(stub.requests, [])
      assertUntold(entries, "of-a-key")
    })
  }

  it("where its key is wrong", async (t) => {
    const { entries, start, stub } = await createWorld(t)
    const service = await start("invalid")
    const { dispatch, state } = await finish(service, await submit(service))
    assert.deepEqual([state, dispatch?.channel], ["succeeded.available", "studio"])
    const lines = [
      "error: channel needs its operator (provider_answered_401)",
      "warn: task not created (provider_answered_401)",
    ]
    assert.deepEqual(new Set(linesOf(entries)), new Set(lines))
    assert.deepEqual(stub.purchases, [])
  })

  it("where its key is taken back while it serves, until it is given again", async (t) => {
    const { entries, start, stub } = await createWorld(t)
    const service = await start(KEY)
    const before = await finish(service, await submit(service))
    assert.deepEqual([before.state, before.dispatch?.channel], ["succeeded.available", "fal"])
    stub.setFaults({ isKeyRevoked: true })
    const meanwhile = await finish(service, await submit(service))
    const { dispatch, state } = meanwhile
    assert.deepEqual([state, dispatch?.channel], ["succeeded.available", "studio"])
    assert.equal(stub.purchases.length, 1)
    const log = await service.engine.listEvents({ account: "sample", id: meanwhile.id })
    const reasons = log?.events.flatMap((each) =>
      each.type === "deferred" ? each.data.reason : [],
    )
    assert.deepEqual(new Set(reasons), new Set(["provider_answered_401"]))
    assert.ok(linesOf(entries).includes("warn: task not created (provider_answered_401)"))
    assertUntold(entries, KEY)
    stub.setFaults({})
    const again = async () => finish(service, await submit(service))
    await until(again, (task) => task.dispatch?.channel === "fal")
  })
})

describe("what was bought before its channel's key was taken back", () => {
  it("is fetched once the key is taken again, and bought once", async (t) => {
    const { entries, start, stub } = await createWorld(t, 300)
    const service = await start(KEY, ["fal"])
    const id = await submit(service)
    await until(
      async () => stub.purchases.length,
      (count) => count === 1,
    )
    stub.setFaults({ isKeyRevoked: true })
    const isFailing = async () => entries.some(({ message }) => message === "poll failed")
    await until(isFailing)
    stub.setFaults({})
    const { dispatch, state } = await finish(service, id)
    assert.deepEqual([state, dispatch?.channel], ["succeeded.available", "fal"])
    assert.equal(stub.purchases.length, 1)
    assertUntold(entries, KEY)
  })
})
