/** The spans of tasks: which there are, what they tell, and that a trace goes with its task to any process. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { traceCall, type Channel, type ChannelRequest, type LogFields } from "@safelight/core"
import {
  createManualClock,
  createMemoryArtifacts,
  createMemoryStorage,
  createScriptedChannel,
} from "@safelight/testkit"
import { createTracer } from "@safelight/tracing-opentelemetry"
import { completed, createScene, type SceneOptions } from "../../engine/support.ts"
import { recordSpans, type RecordedSpans } from "../../support/recorded-spans.ts"

const PROMPT = "a prompt that nobody else may read"
const RUNNING = { kind: "running", pollAfterMs: 1_000 } as const

function createTracedScene(options: Partial<SceneOptions> & Pick<SceneOptions, "channels">) {
  const storage = options.storage ?? createMemoryStorage()
  return createScene({ tracer: createTracer(), ...options, storage })
}

/** Names with their depths, in the order of their beginnings. */
function toTree(spans: RecordedSpans): string[] {
  const list = spans.list()
  const depthOf = (id: string | undefined): number => {
    const parent = list.find(({ spanId }) => spanId === id)
    return parent === undefined ? 0 : 1 + depthOf(parent.parentId)
  }
  return list.map(({ name, parentId }) => `${"  ".repeat(depthOf(parentId))}${name}`)
}

describe("the spans of a task", () => {
  it("tell what became of it, from the submission to its artifact, in one trace", async () => {
    using spans = recordSpans()
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation: "op" }],
      polls: [RUNNING, RUNNING, completed()],
    })
    const scene = createTracedScene({ channels: [channel] })
    const { id } = await scene.submit({ prompt: PROMPT })
    await scene.clock.advance(5_000)
    assert.deepEqual(scene.story(id).at(-1), "succeeded")

    assert.deepEqual(toTree(spans), [
      "  admit",
      "submit task",
      "    append",
      "    channel submit",
      "    append",
      "      store artifact",
      "    collect",
      "    append",
      "  work on task",
    ])
    assert.equal(new Set(spans.list().map(({ traceId }) => traceId)).size, 1)
    const common = { "safelight.task.id": id, "safelight.model": "model-a" }
    assert.deepEqual(spans.one("submit task").attributes, {
      ...common,
      "safelight.outcome": "submitted",
    })
    assert.deepEqual(spans.one("channel submit").attributes, {
      ...common,
      "safelight.channel": "scripted",
      "safelight.attempt": 1,
      "safelight.outcome": "accepted",
    })
    const work = spans.one("work on task")
    assert.deepEqual(work.attributes, {
      ...common,
      "safelight.attempt": 1,
      "safelight.polls": 2,
      "safelight.state.before": "queued",
      "safelight.state.after": "succeeded.available",
    })
    assert.deepEqual(work.events, [
      { name: "poll", attributes: { "safelight.outcome": "completed" } },
    ])
    assert.deepEqual(spans.one("store artifact").attributes, {
      "safelight.artifact.key": "image_1",
      "safelight.artifact.bytes": 7,
    })
    const kinds = spans.list().map(({ name, kind }) => [name, kind] as const)
    assert.deepEqual(Object.fromEntries(kinds), {
      admit: "client",
      "submit task": "producer",
      append: "client",
      "channel submit": "client",
      "store artifact": "internal",
      collect: "internal",
      "work on task": "consumer",
    })
  })

  it("hold nothing that a person or a provider wrote", async () => {
    using spans = recordSpans()
    const words = "words of the provider"
    const channel = createScriptedChannel({
      submits: [
        { kind: "refused", code: "provider_rejected", message: words, providerWords: words },
        new Error(words),
      ],
    })
    const scene = createTracedScene({ channels: [channel] })
    await scene.submit({ prompt: PROMPT })
    await scene.clock.advance(0)
    await scene.submit({ prompt: PROMPT })
    await scene.clock.advance(0)
    const rejected = await scene.engine.submit({ account: "ada", model: PROMPT, parameters: {} })
    assert.equal(rejected.kind, "rejected")

    const told = JSON.stringify(spans.list())
    assert.ok(!told.includes(PROMPT) && !told.includes(words), told)
    const calls = spans.list().filter(({ name }) => name === "channel submit")
    assert.deepEqual(
      calls.map(({ attributes, isFailed }) => [
        attributes["safelight.outcome"],
        attributes["safelight.code"],
        attributes["error.type"],
        isFailed,
      ]),
      [
        ["refused", "provider_rejected", undefined, false],
        [undefined, undefined, "unexpected", true],
      ],
    )
    const outcomes = spans
      .list()
      .filter(({ name }) => name === "submit task")
      .map(({ attributes }) => attributes["safelight.outcome"])
    assert.deepEqual(outcomes, ["submitted", "submitted", "model-not-found"])
  })

  it("go on in the process that takes the task over, and end up in the same trace", async () => {
    using spans = recordSpans()
    const world = {
      storage: createMemoryStorage(),
      artifacts: createMemoryArtifacts(),
      clock: createManualClock(),
    }
    const api = createTracedScene({
      ...world,
      channels: [createScriptedChannel()],
      isStarted: false,
    })
    const { id } = await api.submit()
    const { traceId, spanId } = spans.one("submit task")
    const stored = await world.storage.readInput({ task: id, name: "trace" })
    assert.equal(stored?.body, JSON.stringify(`00-${traceId}-${spanId}-01`))
    assert.ok(!JSON.stringify(world.storage.events.get(id)).includes(traceId))

    // Whoever starts an engine may do so in a span of its own.
    await traceCall(createTracer(), { name: "start of the worker" }, async () => {
      createTracedScene({ ...world, channels: [createScriptedChannel({ submits: [completed()] })] })
    })
    await world.clock.advance(5_000)
    assert.equal(api.story(id).at(-1), "succeeded")
    const work = spans.one("work on task")
    assert.deepEqual([work.traceId, work.parentId], [traceId, spanId])
    assert.equal(spans.one("store artifact").traceId, traceId)
  })

  it("begin a trace of their own once the one of the submission was erased, or can't be read", async () => {
    using spans = recordSpans()
    const warned: [string, LogFields][] = []
    const log = {
      info() {},
      error() {},
      warn: (fields: LogFields, message: string) => void warned.push([message, fields]),
    }
    const storage = createMemoryStorage()
    const world = { storage, artifacts: createMemoryArtifacts(), clock: createManualClock(), log }
    const api = createTracedScene({
      ...world,
      channels: [createScriptedChannel()],
      isStarted: false,
    })
    const { id } = await api.submit()
    const failing = {
      ...storage,
      async readInput(asked: { readonly task: string; readonly name: string }) {
        if (asked.name === "trace") throw new Error("the row can't be read")
        return storage.readInput(asked)
      },
    }
    const channels = [createScriptedChannel({ submits: [completed()] })]
    createTracedScene({ ...world, storage: failing, channels })
    await world.clock.advance(5_000)
    assert.equal(api.story(id).at(-1), "succeeded")
    const work = spans.one("work on task")
    assert.deepEqual([work.parentId, work.attributes["safelight.task.id"]], [undefined, id])
    assert.deepEqual(
      warned.map(([message, { task }]) => [message, task]),
      [["trace not read", id]],
    )
    assert.equal(await api.engine.erase({ account: "ada", id }), true)
    assert.equal(await storage.readInput({ task: id, name: "trace" }), undefined)
  })

  it("are not made, and no trace is stored, while nobody records", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createTracedScene({ channels: [channel] })
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    assert.equal(scene.story(id).at(-1), "succeeded")
    assert.equal(await scene.storage.readInput({ task: id, name: "trace" }), undefined)
  })
})

describe("the trace of a task", () => {
  for (const [who, relays, isTold] of [
    ["another service like this one", true, true],
    ["no provider", undefined, false],
  ] as const) {
    it(`is told to ${who}`, async () => {
      using spans = recordSpans()
      const asked: ChannelRequest[] = []
      const scripted = createScriptedChannel({ submits: [completed()] })
      const channel: Channel = {
        ...scripted,
        ...(relays && { relays }),
        submit: (request) => (asked.push(request), scripted.submit(request)),
      }
      const scene = createTracedScene({ channels: [{ channel }] })
      await scene.submit()
      await scene.clock.advance(1_000)
      const { traceId, spanId } = spans.one("channel submit")
      assert.deepEqual(
        asked.map(({ traceparent }) => traceparent),
        [isTold ? `00-${traceId}-${spanId}-01` : undefined],
      )
    })
  }

  it("is linked to by the callback of a provider, which comes in another", async () => {
    using spans = recordSpans()
    const scripted = createScriptedChannel({ submits: [{ kind: "accepted", operation: "op" }] })
    let url = ""
    const channel: Channel = {
      ...scripted,
      submit(request) {
        url = request.callback?.url ?? ""
        return scripted.submit(request)
      },
      poll: async () => ({ kind: "running", pollAfterMs: 60_000 }),
      receive: async () => ({ kind: "hint" }),
    }
    const scene = createTracedScene({ channels: [{ channel }], publicUrl: "https://api.example" })
    const { id } = await scene.submit()
    await scene.clock.advance(0)
    const callback = { channel: "scripted", headers: {}, readBody: async () => new Uint8Array() }
    await scene.engine.receiveCallback({ ...callback, key: url.slice(url.lastIndexOf("/") + 1) })
    const { attributes, links, traceId } = spans.one("receive callback")
    assert.deepEqual(attributes, {
      "safelight.channel": "scripted",
      "safelight.task.id": id,
      "safelight.outcome": "taken",
    })
    const submitted = spans.one("submit task")
    assert.deepEqual(links, [submitted.traceId])
    assert.notEqual(traceId, submitted.traceId)

    spans.clear()
    await scene.engine.receiveCallback({ ...callback, channel: PROMPT, key: PROMPT })
    assert.deepEqual(spans.one("receive callback").attributes, { "safelight.outcome": "unknown" })
    await scene.engine.stop()
  })
})
