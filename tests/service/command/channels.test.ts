/** The `channels` commands, beside a service that has tasks made by a stub of fal. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { test, type TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import { MODELS } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import type { RunningStub, StubOptions } from "@safelight/testkit/stubs"
import { STUBS } from "@safelight/testkit/stubs"
import { until } from "../../support/until.ts"
import {
  parseKey,
  runCommand,
  startCommand,
  startService,
  temporaryFolder,
  type CommandEnd,
  type Serving,
} from "./command-process.ts"

const KEY = "id-of-a-key:secret-of-a-key"
const PICTURE = "vendor-a/v4.1/flash/text-to-image"

interface TaskRecord {
  readonly task_id: string
  readonly status: string
}

interface World {
  readonly folder: string
  readonly stub: RunningStub
  readonly service: Serving
  channels(...words: readonly string[]): Promise<CommandEnd>
  /** Resolves to the task's id. */
  submit(): Promise<string>
  /** Resolves once the task's status is `status`. */
  waitFor(id: string, status: string): Promise<void>
  restart(): Promise<void>
}

/** A service whose tasks fal makes alone. */
async function createWorld(t: TestContext, options: StubOptions = {}): Promise<World> {
  const stub = (await STUBS["fal"]?.(options)) ?? assert.fail()
  t.after(() => stub[Symbol.asyncDispose]())
  const folder = await temporaryFolder(t)
  const channels = [{ type: "fal", baseUrl: stub.url, concurrency: 3 }]
  // Tasks that run on at the stub would hold up each stop.
  const content = { channels, stopGraceMs: 0, engine: { queueUnavailable: true } }
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify(content))
  const environment = { FAL_KEY: KEY }
  let service = await startService(folder, [], { environment })
  const key = parseKey(service.stdout())

  async function tasks(...words: readonly string[]): Promise<TaskRecord> {
    const client = { SAFELIGHT_URL: service.url, SAFELIGHT_API_KEY: key }
    const end = await runCommand(["tasks", ...words, "--json"], { folder, environment: client })
    assert.equal(end.code, 0, end.stderr)
    return JSON.parse(end.stdout) as TaskRecord
  }

  return {
    folder,
    stub,
    get service() {
      return service
    },
    channels: (...words) => runCommand(["channels", ...words], { folder, environment }),
    async submit() {
      const words = ["submit", "--model", PICTURE, "--parameters", '{"prompt":"fog"}']
      return (await tasks(...words)).task_id
    },
    async waitFor(id, status) {
      while ((await tasks("get", id)).status !== status) await setTimeout(100)
    },
    async restart() {
      service.kill("SIGTERM")
      await service.ended
      service = await startService(folder, [], { environment })
    },
  }
}

test("a channel is drained beside a service, gets nothing new, also after a restart, until it is resumed", async (t) => {
  const clock = createManualClock()
  const world = await createWorld(t, { clock, runMs: 60_000 })
  const { channels, folder, restart, stub, submit, waitFor } = world
  const first = await submit()
  await waitFor(first, "running")
  const paused = await channels("pause", "fal", "--json")
  assert.deepEqual(JSON.parse(paused.stdout), { channel: "fal", state: "paused", in_flight: 1 })
  const draining = startCommand(["channels", "drain", "fal"], { folder })
  while (!draining.stderr().includes("1 task in flight")) {
    await once(draining.child.stderr as Readable, "data")
  }
  await clock.advance(60_000)
  const drained = await draining.ended
  assert.equal(
    drained.stdout,
    "fal has nothing in flight, and gets nothing new until it is resumed\n",
  )
  assert.match(drained.stderr, /^1 task in flight$/m)
  assert.equal(drained.code, 0)
  await waitFor(first, "succeeded")
  const second = await submit()
  await restart()
  await setTimeout(4_000)
  await waitFor(second, "queued")
  assert.equal(stub.purchases.length, 1)
  const resumed = await channels("resume", "fal")
  assert.equal(resumed.stdout, "fal is open: it gets tasks again within a few seconds\n")
  await waitFor(second, "running")
  // A task runs from its intent on, which stands before the request leaves.
  await until(() => stub.purchases.length === 2)
})

test("a drain whose time is up ends with 1, and the channel stays paused", async (t) => {
  const { channels, submit, waitFor } = await createWorld(t, { runMs: 60_000 })
  const id = await submit()
  await waitFor(id, "running")
  const { code, stderr, stdout } = await channels("drain", "fal", "--timeout", "1s", "--json")
  assert.equal(code, 1)
  assert.match(stderr, /^safelight: fal has 1 task in flight after 1s; it stays paused$/m)
  assert.deepEqual(JSON.parse(stdout), { channel: "fal", state: "paused", in_flight: 1 })
  const again = await channels("pause", "fal")
  assert.match(again.stdout, /^fal is paused: .* it has 1 task in flight\n$/)
})

test("a name that nobody knows is one line with those that are known, and changes nothing", async (t) => {
  const { channels } = await createWorld(t)
  for (const command of ["pause", "drain", "resume"]) {
    const { code, stderr, stdout } = await channels(command, "fall")
    assert.match(
      stderr,
      /^safelight: no channel is called "fall": the configuration and the database know fal; [^\n]*\n$/,
    )
    assert.deepEqual([code, stdout], [2, ""])
  }
})

test("list shows what is configured, what has been seen, and what came of the last day", async (t) => {
  const { channels, folder, submit, waitFor } = await createWorld(t)
  const [first, second] = [await submit(), await submit()]
  await waitFor(first, "succeeded")
  await waitFor(second, "succeeded")
  await channels("pause", "fal")
  const configured = [
    { type: "studio", name: "own", tier: 2, weight: 3 },
    { type: "fal", name: "keyless", keyVariable: "NO_KEY" },
    { type: "fal", name: "odd", models: ["vendor-x/picture"] },
  ]
  await writeFile(join(folder, "other.json"), JSON.stringify({ channels: configured }))
  const { code, stdout } = await channels("list", "--config", "other.json", "--json")
  assert.equal(code, 0)
  const [own, keyless, odd, fal] = JSON.parse(stdout) as readonly Record<string, unknown>[]
  const none = {
    succeeded: 0,
    failed: 0,
    charge_micros: 0,
    cost_told_micros: 0,
    cost_computed_micros: 0,
    cost_unknown: 0,
    mean_ms: 0,
    longest_ms: 0,
  }
  assert.deepEqual(own, {
    channel: "own",
    type: "studio",
    tier: 2,
    weight: 3,
    models: MODELS.map(({ id }) => id),
    upstreams: {},
    state: "open",
    paused_at: 0,
    left_out: null,
    in_flight: 0,
    left_alone_by: 0,
    troubles: [],
    last_day: none,
  })
  assert.equal(keyless?.["left_out"], "NO_KEY is empty")
  assert.equal(
    odd?.["left_out"],
    'fal has no model vendor-x/picture: "models": { "vendor-x/picture": "…" } names its model there',
  )
  const { paused_at: pausedAt, last_day: lastDay, ...rest } = fal ?? {}
  const { longest_ms: longestMs, mean_ms: meanMs, ...day } = lastDay as Record<string, number>
  const { longest_ms: _longest, mean_ms: _mean, ...nothing } = none
  assert.deepEqual(day, { ...nothing, succeeded: 2, charge_micros: 20_000, cost_unknown: 2 })
  assert.ok(0 < Number(meanMs) && Number(meanMs) <= Number(longestMs))
  assert.ok(Math.abs(Number(pausedAt) - Date.now() / 1_000) < 60)
  assert.deepEqual(rest, {
    channel: "fal",
    type: null,
    tier: null,
    weight: null,
    models: null,
    upstreams: {},
    state: "paused",
    left_out: "it is not in the configuration",
    in_flight: 0,
    left_alone_by: 0,
    troubles: [],
  })
  const table = (await channels("list")).stdout.split("\n").map((line) => line.split(/ {2,}/))
  const words = ["CHANNEL", "TYPE", "TIER", "WEIGHT", "STATE", "IN FLIGHT"]
  assert.deepEqual(table[0], [
    ...words,
    "SUCCEEDED",
    "FAILED",
    "CHARGED",
    "SPENT",
    "TOOK",
    "MODELS",
  ])
  const models = MODELS.map(({ id }) => id).join(" ")
  const counts = ["fal", "fal", "1", "1", "paused", "0", "2", "0", "0.020000"]
  const [took = "", ...last] = table[1]?.slice(counts.length + 1) ?? []
  assert.deepEqual(table[1]?.slice(0, counts.length + 1), [...counts, "0.000000 + 2 unknown"])
  assert.match(took, /^[\d.]+ s, at most [\d.]+ s$/)
  assert.deepEqual(last, [models])
})

test("list tells a channel that drains, and data that is not there", async (t) => {
  const { channels, submit, waitFor } = await createWorld(t, { runMs: 60_000 })
  const id = await submit()
  await waitFor(id, "running")
  await channels("pause", "fal")
  const [fal] = JSON.parse((await channels("list", "--json")).stdout) as readonly {
    readonly state: string
    readonly in_flight: number
  }[]
  assert.deepEqual([fal?.state, fal?.in_flight], ["draining", 1])
  const { code, stderr } = await channels("list", "--data", "elsewhere")
  assert.match(stderr, /^safelight: there is no Safelight database in [^\n]*\n$/)
  assert.equal(code, 2)
})

test("list tells a channel that has no money, in its provider's words", async (t) => {
  const { channels, stub, submit } = await createWorld(t)
  stub.setFaults({ own: ["no-balance"] })
  await submit()
  const line =
    /^fal: its account has no money \(provider_out_of_money\): User is locked\. Reason: Exhausted balance\./m
  await until(async () => line.test((await channels("list")).stdout))
  const [fal] = JSON.parse((await channels("list", "--json")).stdout) as readonly {
    readonly troubles: readonly Readonly<Record<string, unknown>>[]
  }[]
  const { since, ...trouble } = fal?.troubles[0] ?? assert.fail("it has no trouble")
  assert.ok(Number(since) > 0)
  assert.deepEqual([trouble["reason"], trouble["add"]], ["provider_out_of_money", null])
})

test("list tells a channel that is left alone after failures, until its service ends", async (t) => {
  const { channels, service, stub, submit } = await createWorld(t)
  stub.setFaults({ isKeyRevoked: true })
  for (let tasks = 0; tasks < 5; tasks += 1) await submit()
  async function countLeftAlone(): Promise<unknown> {
    const [fal] = JSON.parse((await channels("list", "--json")).stdout) as readonly object[]
    return fal !== undefined && "left_alone_by" in fal && fal.left_alone_by
  }
  await until(async () => (await countLeftAlone()) === 1)
  const { stdout } = await channels("list")
  assert.match(stdout, / {2}open, left alone by 1 process after failures {2}/)
  service.kill("SIGTERM")
  await service.ended
  assert.equal(await countLeftAlone(), 0)
})
