/** What a scrape says of channels: what their calls came to, how long they took, how many run. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  SafelightError,
  type Channel,
  type ChannelRequest,
  type FailureCode,
  type Json,
  type PollOutcome,
  type PollRequest,
  type SubmitOutcome,
} from "@safelight/core"
import {
  createManualClock,
  createMemoryStorage,
  createSampleInputs,
  createScriptedChannel,
} from "@safelight/testkit"
import { createMetrics } from "safelight"
import { FACTS } from "../../support/lease-facts.ts"
import { parsePrometheusText, readSample } from "./prometheus-text.ts"

const REQUEST: ChannelRequest = {
  account: "account",
  task: "task-1",
  model: "m",
  inputs: createSampleInputs(),
  parameters: {},
  upstreamKey: "key-1",
  signal: new AbortController().signal,
}
const POLL: PollRequest = { ...REQUEST, operation: {}, progress: 0 }
const OUTCOMES = "safelight_channel_outcomes_total"

function createWorld() {
  const clock = createManualClock()
  const metrics = createMetrics({ clock })
  return {
    clock,
    metrics,
    async read() {
      return parsePrometheusText((await metrics.scrape()).text)
    },
  }
}

describe("calls of a channel", () => {
  it("are counted by what they came to, and come to it all the same", async () => {
    const world = createWorld()
    const lost = new SafelightError({ code: "channel-unavailable", message: "lost" })
    const channel = world.metrics.observeChannel(
      createScriptedChannel({
        name: "one",
        submits: [
          { kind: "accepted", operation: { id: 1 } },
          { kind: "completed", outputs: [] },
          { kind: "refused", code: "content_policy_violation" },
          { kind: "refused", code: "content_policy_violation" },
          { kind: "refused", code: "words of a provider" as FailureCode },
          { kind: "not-created", reason: "busy" },
          lost,
          new Error("a bug"),
        ],
        polls: [
          { kind: "running", pollAfterMs: 1 },
          { kind: "completed", outputs: [] },
          { kind: "not-created", reason: "expired" },
        ],
      }),
    )
    assert.deepEqual(await channel.submit(REQUEST), { kind: "accepted", operation: { id: 1 } })
    for (let call = 0; call < 5; call += 1) {
      await channel.submit(REQUEST)
    }
    await assert.rejects(channel.submit(REQUEST), lost)
    await assert.rejects(channel.submit(REQUEST), /a bug/)
    for (let call = 0; call < 3; call += 1) {
      await channel.poll(POLL)
    }
    const families = await world.read()
    const told = families.get(OUTCOMES)?.samples.map(({ labels, value }) => {
      assert.equal(labels["channel"], "one")
      return [labels["call"], labels["outcome"], labels["code"], value]
    })
    assert.deepEqual(told, [
      ["submit", "accepted", "", 1],
      ["submit", "completed", "", 1],
      ["submit", "refused", "content_policy_violation", 2],
      ["submit", "refused", "unexpected", 1],
      ["submit", "not-created", "", 1],
      ["submit", "unknown", "channel-unavailable", 1],
      ["submit", "unknown", "unexpected", 1],
      ["poll", "running", "", 1],
      ["poll", "completed", "", 1],
      ["poll", "not-created", "", 1],
    ])
  })

  it("are timed, and told while they run", async () => {
    const world = createWorld()
    const answer = Promise.withResolvers<{ kind: "completed"; outputs: [] }>()
    const channel = world.metrics.observeChannel(
      createScriptedChannel({ name: "one", submits: [() => answer.promise] }),
    )
    const labels = { channel: "one", call: "submit" }
    const inFlight = async () =>
      readSample(await world.read(), "safelight_channel_calls_in_flight", labels)
    assert.equal(await inFlight(), 0)
    const submitted = channel.submit(REQUEST)
    assert.equal(await inFlight(), 1)
    await world.clock.advance(40_000)
    answer.resolve({ kind: "completed", outputs: [] })
    await submitted
    assert.equal(await inFlight(), 0)
    const families = await world.read()
    const name = "safelight_channel_duration_seconds"
    assert.equal(readSample(families, `${name}_sum`, labels), 40)
    assert.equal(readSample(families, `${name}_bucket`, { ...labels, le: "25" }), 0)
    assert.equal(readSample(families, `${name}_bucket`, { ...labels, le: "60" }), 1)
  })

  it("of two channels are told apart, and of one that is wrapped twice counted together", async () => {
    const world = createWorld()
    const submits = [{ kind: "completed", outputs: [] }] as const
    const names = ["one", "other", "one"]
    for (const name of names) {
      const channel = world.metrics.observeChannel(createScriptedChannel({ name, submits }))
      await channel.submit(REQUEST)
    }
    const families = await world.read()
    const counts = ["one", "other"].map((channel) => readSample(families, OUTCOMES, { channel }))
    assert.deepEqual(counts, [2, 1])
  })
})

describe("an observed channel", () => {
  it("can what the channel can, and nothing else", () => {
    const { metrics } = createWorld()
    const plain = createScriptedChannel({ name: "one" })
    const members = (channel: Channel) => Object.keys(channel).toSorted()
    assert.deepEqual(members(metrics.observeChannel(plain)), members(plain))
    const lookup = { kind: "lookup", longestRequestMs: 1_000 } as const
    const looked = createScriptedChannel({ submission: lookup, answersAtOnce: true })
    const observed = metrics.observeChannel(looked)
    assert.deepEqual(members(observed), members(looked))
    assert.equal(observed.find, looked.find)
    assert.deepEqual(observed.submission, lookup)
  })

  it("may be an instance of a class, whose methods stay its own", async () => {
    class Provider implements Channel {
      readonly name = "class"
      readonly models = ["model-a"]
      readonly submission = { kind: "lookup", longestRequestMs: 1_000 } as const
      readonly concurrency = 1
      readonly submitTimeoutMs = 1_000
      #isClosed = false
      async submit(): Promise<SubmitOutcome> {
        return { kind: "accepted", operation: this.#isClosed }
      }
      async poll(): Promise<PollOutcome> {
        return { kind: "running", pollAfterMs: 1 }
      }
      async find(): Promise<{ readonly operation: Json }> {
        return { operation: this.#isClosed }
      }
      async cancel() {
        return "stopped" as const
      }
      async close(): Promise<void> {
        this.#isClosed = true
      }
    }
    const { metrics } = createWorld()
    const observed = metrics.observeChannel(new Provider())
    assert.ok(observed.cancel !== undefined)
    await observed.close?.()
    assert.deepEqual(await observed.find?.(REQUEST), { operation: true })
    assert.deepEqual(await observed.submit(REQUEST), { kind: "accepted", operation: true })
  })
})

describe("a channel that is left alone", () => {
  it("is shown by the heartbeats of the process, and so is one that is not", async () => {
    const { metrics, read } = createWorld()
    const storage = metrics.observeStorage(createMemoryStorage())
    const readGauges = async () => {
      const families = await read()
      return ["one", "two"].map((channel) =>
        readSample(families, "safelight_channel_left_alone", { channel }),
      )
    }
    const facts = { ...FACTS, channels: ["one", "two"], leftAlone: ["two"] }
    await storage.heartbeat({ lease: "lease-1", heartbeats: 1, facts })
    assert.deepEqual(await readGauges(), [0, 1])
    await storage.heartbeat({ lease: "lease-1", heartbeats: 2, facts: { ...facts, leftAlone: [] } })
    assert.deepEqual(await readGauges(), [0, 0])
  })
})
