/** What a channel says is somebody else's word: nothing of it is recorded, stored or charged unchecked. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createSecretHider,
  DEFAULT_PRICES,
  openEventStrictly,
  referenceToVideo,
  type Channel,
  type Json,
  type Log,
  type LogFields,
  type PollOutcome,
  type SubmitOutcome,
  type TaskEvent,
} from "@safelight/core"
import { createEngine } from "@safelight/engine"
import {
  createManualClock,
  createScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { completed, MODEL, PRICES, SETTINGS } from "./support.ts"

/** Answers as a channel written without types gives them. */
const submitted = (answer: unknown): SubmitOutcome => answer as SubmitOutcome
const polled = (answer: unknown): PollOutcome => answer as PollOutcome

interface World {
  readonly channel: Channel
  readonly parameters?: object
}

/** One task's whole life, as far as ten minutes take it. */
async function runTask({ channel, parameters = { prompt: "a quiet harbour" } }: World) {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const logged: { readonly fields: LogFields; readonly message: string }[] = []
  const record: Log["info"] = (fields, message) => void logged.push({ fields, message })
  const isVideo = channel.models.includes(referenceToVideo.id)
  const engine = createEngine({
    storage,
    artifacts,
    clock,
    channels: [channel],
    models: [isVideo ? referenceToVideo : MODEL],
    prices: isVideo ? DEFAULT_PRICES : PRICES,
    settings: { ...SETTINGS, maxAttempts: 2 },
    log: { info: record, warn: record, error: record },
  })
  engine.start()
  const model = isVideo ? referenceToVideo.id : MODEL.id
  const result = await engine.submit({ account: "ada", model, parameters })
  assert.ok(result.kind === "submitted")
  await clock.advance(SETTINGS.endAfterMs - 1)
  const { id } = result.task
  // An event that a strict reader would refuse would stand in the way of every export.
  const history: TaskEvent[] = (storage.events.get(id) ?? []).map(openEventStrictly)
  const head = await storage.readTask(id)
  assert.ok(head)
  await engine.stop()
  return {
    storage,
    task: head.task,
    story: history.map(({ type }) => type),
    history,
    logged,
    artifacts,
  }
}

function createVideoChannel(outputs: unknown, more: object = {}): Channel {
  return createScriptedChannel({
    models: [referenceToVideo.id],
    submits: [submitted({ kind: "completed", operation: "op-1", outputs, ...more })],
  })
}

async function* once(words: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(words)
}

const film = (more: object = {}) => ({
  mimeType: "video/mp4",
  open: () => once("film"),
  ...more,
})

describe("an answer to a purchase", () => {
  const words: readonly (readonly [string, unknown])[] = [
    ["nothing at all", undefined],
    ["a text", "done"],
    ["an unknown kind", { kind: "finished" }],
    ["no operation", { kind: "accepted" }],
    ["null for an operation", { kind: "accepted", operation: null }],
    ["an operation that is no JSON", { kind: "accepted", operation: new Map([["id", 1]]) }],
    ["a number that JSON lacks", { kind: "accepted", operation: { at: Number.NaN } }],
    ["half a character", { kind: "accepted", operation: "\ud800" }],
    ["a result where the handle belongs", { kind: "accepted", operation: "x".repeat(70_000) }],
    ["an operation that contains itself", { kind: "accepted", operation: toCircle() }],
  ]
  for (const [what, answer] of words) {
    it(`that means nothing leaves the outcome unknown: ${what}`, async () => {
      const scripted = createScriptedChannel()
      const channel = { ...scripted, submit: async () => submitted(answer) }
      const { task, logged } = await runTask({ channel })
      assert.deepEqual([task.state, task.doubt], ["doubtful", "channel-answer-invalid"])
      const [line] = logged.filter(({ message }) => message === "submit outcome unknown")
      assert.match(String(line?.fields["error"]), /channel scripted means nothing: /)
    })
  }

  it("that repeats the channel's key is kept, charged for and logged without it", async () => {
    const key = "key-of-an-account"
    const hideSecrets = createSecretHider([key, "id-of-a-key:its-secret"])
    const said = `a key ${key} or id-of-a-key with its-secret is wrong`
    const answers = [
      { kind: "not-created", reason: said, needsOperator: true, providerWords: said },
      { kind: "refused", code: "provider_rejected", message: said, providerWords: said },
    ]
    for (const polls of [false, true]) {
      for (const answer of answers) {
        const accepted = { kind: "accepted", operation: "op-1" } as const
        const scripted = createScriptedChannel(
          polls
            ? { submits: [accepted], polls: [polled(answer)] }
            : { submits: [submitted(answer)] },
        )
        const { logged, storage, task } = await runTask({ channel: { ...scripted, hideSecrets } })
        const kept = JSON.stringify([[...storage.events], [...storage.inputs], task, logged])
        assert.match(kept, /a key … or … with … is wrong/)
        for (const secret of [key, "id-of-a-key", "its-secret"]) assert.ok(!kept.includes(secret))
      }
    }
  })

  it("keeps an operation whose members are undefined, as JSON has it", async () => {
    const operation = { id: "op-1", extra: undefined } as unknown as Json
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation }],
      polls: [completed()],
    })
    const { task } = await runTask({ channel })
    assert.deepEqual([task.state, task.operation], ["succeeded.available", { id: "op-1" }])
  })

  it("defers for a reason of any length, or none, and for a time that is one", async () => {
    const reasons: readonly (readonly [unknown, string])[] = [
      ["", "unspecified"],
      [undefined, "unspecified"],
      ["r".repeat(201), "r".repeat(200)],
      [`${"r".repeat(199)}😀`, `${"r".repeat(199)}\ufffd`],
    ]
    for (const [reason, recorded] of reasons) {
      for (const retryAfterMs of [Number.NaN, -1, Number.POSITIVE_INFINITY, 0.5]) {
        const refusal = submitted({ kind: "not-created", reason, retryAfterMs })
        const channel = createScriptedChannel({ submits: [refusal, completed()] })
        const { history, story } = await runTask({ channel })
        const deferred = history.find(({ type }) => type === "deferred")
        assert.ok(deferred?.type === "deferred")
        assert.equal(deferred.data.reason, recorded)
        assert.equal(story.at(-1), "succeeded")
      }
    }
  })

  it("fails the task as refused, whatever stands beside the refusal", async () => {
    const channel = createScriptedChannel({
      submits: [
        submitted({
          kind: "refused",
          code: "out-of-luck",
          message: 7,
          providerWords: {},
          billed: { images: -1, outputVideoMs: 0.5 },
        }),
      ],
    })
    const { task, logged } = await runTask({ channel })
    assert.deepEqual(
      [task.state, task.error?.code, task.chargeMicros],
      ["failed", "provider_rejected", 0],
    )
    const told = logged.flatMap(({ fields }) => fields["what"] ?? [])
    assert.deepEqual(told, [
      "code is none of a failure",
      "billed is not maybe and holds no counts, so nothing is charged",
    ])
  })
})

describe("a result", () => {
  const wrong: readonly (readonly [string, unknown, object?])[] = [
    ["outputs is no list", "film"],
    ["outputs[0].durationMs is missing", [film()]],
    ["outputs[0].durationMs is missing", [film({ durationMs: 0 })]],
    ["outputs[0].durationMs is no duration", [film({ durationMs: -5_000 })]],
    ["outputs[0].durationMs is no duration", [film({ durationMs: Number.NaN })]],
    ["outputs[0].durationMs is no duration", [film({ durationMs: "5000" })]],
    ["outputs[0].mimeType is none", [film({ durationMs: 5_000, mimeType: "" })]],
    ["outputs[0].mimeType is none", [film({ durationMs: 5_000, mimeType: "a/b\r\nx: y" })]],
    ["outputs[0].open is no function", [film({ durationMs: 5_000, open: "film" })]],
    ["outputs[0] is no object", [null]],
    [
      "outputs[0].url can't be fetched: its channel names no outputOrigins",
      [{ url: "https://films.example/1.mp4" }],
    ],
    ["inputVideosMs holds what is no duration", [film({ durationMs: 1 })], { inputVideosMs: [-1] }],
    ["inputVideosMs is no list", [film({ durationMs: 1 })], { inputVideosMs: 5 }],
  ]
  for (const [what, outputs, more] of wrong) {
    it(`that can't be stored or charged fails the task, and the log says why: ${what}`, async () => {
      const { artifacts, logged, task } = await runTask({
        channel: createVideoChannel(outputs, more),
        parameters: { prompt: "a film", duration: 5 },
      })
      assert.deepEqual(
        [task.state, task.error?.code, task.chargeMicros],
        ["failed", "internal_error", 0],
      )
      assert.equal(artifacts.locators.size, 0)
      const [line] = logged.filter(({ fields }) => fields["what"] === what)
      assert.deepEqual(line?.fields, {
        task: task.id,
        channel: "scripted",
        what,
        operation: "op-1",
      })
    })
  }

  it("of a running task fails it at once, and is not asked for again", async () => {
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation: 1 }],
      polls: [polled({ kind: "completed", outputs: [{ mimeType: "", open: () => once("x") }] })],
    })
    const { story } = await runTask({ channel })
    assert.deepEqual(story, ["submitted", "dispatched", "accepted", "failed"])
    assert.equal(channel.calls.length, 2)
  })

  it("of more outputs than were asked for keeps and charges as many as were", async () => {
    const opened: string[] = []
    const outputs = ["one", "two", "three", "four"].map((words) => ({
      mimeType: "image/png",
      open() {
        opened.push(words)
        return once(words)
      },
    }))
    const channel = createScriptedChannel({ submits: [{ kind: "completed", outputs }] })
    const { artifacts, logged, task } = await runTask({ channel })
    assert.equal(task.state, "succeeded.available")
    assert.deepEqual([task.artifacts.length, artifacts.locators.size], [1, 1])
    assert.deepEqual([task.usage?.images, task.chargeMicros], [1, 30_000])
    assert.deepEqual(opened, ["one"])
    assert.ok(logged.some(({ fields }) => fields["outputs"] === 4 && fields["asked"] === 1))
  })

  it("of two videos is one", async () => {
    const outputs = [film({ durationMs: 5_000 }), film({ durationMs: 5_000 })]
    const { task } = await runTask({
      channel: createVideoChannel(outputs),
      parameters: { prompt: "a film", duration: 5 },
    })
    assert.deepEqual(
      task.artifacts.map(({ key }) => key),
      ["video"],
    )
    assert.equal(task.usage?.outputVideoMs, 5_000)
  })

  it("is charged as measured, and never above what was reserved", async () => {
    const charges: number[] = []
    for (const durationMs of [4_000, 5_000, 5_040.2, 90_000]) {
      const { task, logged } = await runTask({
        channel: createVideoChannel([film({ durationMs })]),
        parameters: { prompt: "a film", duration: 5 },
      })
      assert.equal(task.usage?.outputVideoMs, Math.ceil(durationMs))
      assert.equal(task.artifacts[0]?.durationMs, Math.ceil(durationMs))
      const isCapped = logged.some(({ fields }) => "measuredMicros" in fields)
      assert.equal(isCapped, durationMs > 5_000)
      charges.push(task.chargeMicros)
    }
    assert.deepEqual(charges, [400_000, 500_000, 500_000, 500_000])
  })
})

describe("a poll", () => {
  it("that says no progress and no pause goes on all the same, and is told once", async () => {
    const vague = polled({ kind: "running", progress: Number.NaN, pollAfterMs: Number.NaN })
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation: 1 }],
      polls: [vague, vague, vague, completed()],
    })
    const { logged, story } = await runTask({ channel })
    assert.equal(story.at(-1), "succeeded")
    const told = logged.flatMap(({ fields }) => fields["what"] ?? [])
    assert.deepEqual(told, ["progress is no number", "pollAfterMs is no duration"])
  })

  it("that means nothing is repeated: what was bought is not given up for it", async () => {
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation: 1 }],
      polls: [polled(undefined), polled({ kind: "done" }), completed()],
    })
    assert.equal((await runTask({ channel })).story.at(-1), "succeeded")
  })
})

it("a look-up that means nothing proves nothing, and is repeated", async () => {
  const channel = createScriptedChannel({
    submission: { kind: "lookup", longestRequestMs: 1_000 },
    submits: [{ kind: "lost", operation: "op-1" }],
    polls: [completed()],
  })
  const answers: unknown[] = [undefined, "none", { operation: undefined }, { operation: "op-1" }]
  const find = async () => answers.shift() as { readonly operation: Json }
  const { story } = await runTask({ channel: { ...channel, find } })
  assert.deepEqual(answers, [])
  assert.deepEqual(story, ["submitted", "dispatched", "doubted", "accepted", "succeeded"])
})

it("a channel may be an instance of a class: its methods are its own", async () => {
  class Provider implements Channel {
    readonly name = "class"
    readonly models = ["model-a"]
    readonly submission = { kind: "lookup", longestRequestMs: 1_000 } as const
    readonly concurrency = 1
    readonly submitTimeoutMs = 1_000
    readonly #made = "op-1"
    submit(): Promise<SubmitOutcome> {
      throw new Error("the answer was lost")
    }
    async find(): Promise<{ readonly operation: Json }> {
      return { operation: this.#made }
    }
    async poll(): Promise<PollOutcome> {
      return this.#made === "op-1" ? completed() : { kind: "running", pollAfterMs: 1 }
    }
  }
  const { story } = await runTask({ channel: new Provider() })
  assert.deepEqual(story, ["submitted", "dispatched", "doubted", "accepted", "succeeded"])
})

function toCircle(): Json {
  const circle: Record<string, unknown> = {}
  circle["self"] = circle
  return circle as Json
}
