/** Accepting a request: what is stored, what is refused, and what never enters the log. */
import assert from "node:assert/strict"
import { describe, it, mock } from "node:test"
import {
  DEFAULT_PRICES,
  imageEdit,
  MODELS,
  SafelightError,
  sealParameters,
  withSealedParameters,
} from "@safelight/core"
import { createEngine, sha256 } from "@safelight/engine"
import {
  createScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { completed, createScene, MODEL, PRICES } from "./support.ts"

const PROMPT = "a secret harbour"

describe("a submission", () => {
  it("stores one event, the parameters beside it, and a place in the queue", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const task = await scene.submit({ prompt: PROMPT, count: 2 })
    assert.deepEqual(scene.story(task.id), ["submitted"])
    assert.equal(task.state, "queued")
    assert.equal(task.endBy, scene.clock.now() + 600_000)
    assert.equal(task.reservationMicros, 60_000)
    assert.deepEqual(task.parameters, { count: 2 })
    assert.deepEqual(
      await scene.storage.peekQueue({ models: ["model-a"], now: Infinity, most: 9 }),
      {
        dueAt: null,
        startTag: 0,
        takeable: 1,
      },
    )
  })

  it("commits to the parameters with a salt, so that only who holds both can prove them", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const first = await scene.submit({ prompt: PROMPT })
    const second = await scene.submit({ prompt: PROMPT })
    assert.notEqual(first.commitment, second.commitment)
    const input = await scene.storage.readInput({ task: first.id, name: "request" })
    assert.ok(input)
    assert.equal(sha256([{ hex: input.salt }, input.body]), first.commitment)
    assert.deepEqual(JSON.parse(input.body), { prompt: PROMPT, count: 1 })
  })

  it("takes parameters of core's models that its caller checked and sealed as they are", async () => {
    const channel = createScriptedChannel({ submits: [completed()], models: [imageEdit.id] })
    const scene = createScene({ channels: [channel], models: MODELS, prices: DEFAULT_PRICES })
    await scene.clock.advance(0)
    const parameters = { prompt: PROMPT, count: 2 }
    const sealed = sealParameters(sha256, "5a".repeat(16), parameters)
    const check = mock.method(imageEdit, "check")
    const request = { account: "ada", model: imageEdit.id, parameters }
    const result = await scene.engine.submit(withSealedParameters(request, sealed, imageEdit))
    check.mock.restore()
    assert.equal(check.mock.callCount(), 0)
    assert.ok(result.kind === "submitted" && !result.isReplayed)
    const { commitment, id, parameters: logged } = result.task
    assert.equal(commitment, sha256([{ hex: sealed.salt }, sealed.body]))
    assert.deepEqual(logged, { count: 2 })
    const input = await scene.storage.readInput({ task: id, name: "request" })
    const { body, salt } = sealed
    assert.deepEqual(input, { task: id, name: "request", salt, body })
    await scene.engine.finished(id)
    const [call] = channel.calls
    assert.ok(call !== undefined && "parameters" in call.request)
    assert.deepEqual(call.request.parameters, parameters)
  })

  it("checks parameters whatever a stranger's request says of them", async () => {
    const channel = createScriptedChannel({ models: [imageEdit.id] })
    const scene = createScene({ channels: [channel], models: MODELS, prices: DEFAULT_PRICES })
    const sealed = sealParameters(sha256, "5a".repeat(16), { prompt: PROMPT })
    const forged = { model: imageEdit.id, parameters: { count: 900 }, sealed }
    const body = JSON.parse(JSON.stringify(forged)) as typeof forged
    const result = await scene.engine.submit({ ...body, account: "ada" })
    assert.ok(result.kind === "rejected" && result.rejection.code === "invalid-parameters")
    assert.deepEqual(scene.storage.events.size, 0)
  })

  it("refuses accounts and idempotency keys that can't be any, and names what is wrong", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const request = { account: "ada", model: "model-a", parameters: { prompt: PROMPT } }
    for (const account of ["", " ", "a".repeat(201), "a\u0000b", "a\nb", "\ud800"]) {
      const result = await scene.engine.submit({ ...request, account })
      assert.deepEqual(result, { kind: "rejected", rejection: { code: "invalid-account" } })
    }
    const fingerprint = "0".repeat(64)
    for (const idempotency of [
      { key: "", fingerprint },
      { key: "a".repeat(256), fingerprint },
      { key: "a\u0000b", fingerprint },
      { key: "a", fingerprint: "" },
    ]) {
      const result = await scene.engine.submit({ ...request, idempotency })
      const rejection = { code: "invalid-idempotency-key" }
      assert.deepEqual(result, { kind: "rejected", rejection })
    }
    assert.deepEqual(scene.storage.events.size, 0)
    const longest = { account: "a".repeat(200), idempotency: { key: "k".repeat(255), fingerprint } }
    const taken = await scene.engine.submit({ ...request, ...longest })
    assert.equal(taken.kind, "submitted")
  })

  it("checks and seals parameters itself that were checked by another model of the id", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const sealed = sealParameters(sha256, "5a".repeat(16), { count: 9 })
    const parameters = {}
    const bare = { account: "ada", model: "model-a", parameters }
    const request = withSealedParameters(bare, sealed, { ...MODEL })
    const wrong = await scene.engine.submit({ ...request, parameters: { prompt: "", count: 9 } })
    assert.ok(wrong.kind === "rejected" && wrong.rejection.code === "invalid-parameters")
    const right = await scene.engine.submit({ ...request, parameters: { prompt: PROMPT } })
    assert.ok(right.kind === "submitted")
    const input = await scene.storage.readInput({ task: right.task.id, name: "request" })
    assert.deepEqual(JSON.parse(input?.body ?? ""), { prompt: PROMPT, count: 1 })
  })

  it("refuses an unknown model whoever sealed the parameters", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const sealed = sealParameters(sha256, "5a".repeat(16), {})
    const request = { account: "ada", model: "model-x", parameters: {} }
    const result = await scene.engine.submit(withSealedParameters(request, sealed, MODEL))
    assert.ok(result.kind === "rejected" && result.rejection.code === "model-not-found")
  })

  it("keeps what a person or a provider wrote out of every event and row", async () => {
    const words = "the provider's own words"
    const refused = { kind: "refused", code: "provider_rejected", providerWords: words } as const
    const channel = createScriptedChannel({ submits: [refused] })
    const scene = createScene({ channels: [channel] })
    const { id } = await scene.submit({ prompt: PROMPT })
    await scene.engine.finished(id)
    const { streams } = await scene.storage.scan({ after: "", limit: 10 })
    assert.doesNotMatch(JSON.stringify(streams), /secret harbour|own words/)
    const kept = await scene.storage.readInput({ task: id, name: "provider:1" })
    assert.deepEqual(JSON.parse(kept?.body ?? ""), { words })
  })

  it("stores nothing where the model or a parameter is wrong, and says which", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const unknown = await scene.engine.submit({ account: "ada", model: "Model-A", parameters: {} })
    assert.deepEqual(unknown, {
      kind: "rejected",
      rejection: { code: "model-not-found", model: "Model-A" },
    })
    const wrong = await scene.engine.submit({
      account: "ada",
      model: "model-a",
      parameters: { count: 5 },
    })
    assert.ok(wrong.kind === "rejected" && wrong.rejection.code === "invalid-parameters")
    const found = wrong.rejection.issues.map(({ param, code }) => [param, code])
    assert.deepEqual(found, [
      ["parameters.prompt", "missing_required_parameter"],
      ["parameters.count", "integer_above_max_value"],
    ])
    assert.equal(scene.storage.events.size, 0)
    assert.equal(scene.storage.inputs.size, 0)
  })

  it("is refused where the storage fails, and accepted where it was stored all the same", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    scene.storage.failAppends(1)
    await assert.rejects(scene.submit(), { code: "storage-unavailable" })
    scene.storage.failAppends(1, true)
    const task = await scene.submit()
    assert.deepEqual(scene.story(task.id), ["submitted"])
    assert.equal(scene.storage.events.size, 1)
  })

  it("is refused for now, and not of unknown outcome, where the storage surely did nothing", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const undone = { code: "storage-unavailable", message: "away", retryable: true } as const
    scene.storage.readTask = () => Promise.reject(new SafelightError(undone))
    scene.storage.admit = () => Promise.reject(new SafelightError(undone))
    await assert.rejects(scene.submit(), { code: "outcome-unknown" })
    scene.storage.admit = () => Promise.reject(new SafelightError({ ...undone, isUndone: true }))
    await assert.rejects(scene.submit(), { code: "storage-unavailable", retryable: true })
  })

  it("is answered with the finished task where the channel answers at once", async () => {
    const channel = createScriptedChannel({ answersAtOnce: true, submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const task = await scene.submit()
    assert.equal(task.state, "succeeded.available")
    assert.deepEqual(scene.story(task.id), ["submitted", "dispatched", "succeeded"])
  })

  it("is answered as queued where an immediate answer fails or takes longer than the grace", async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const refused = { kind: "refused", code: "provider_rejected" } as const
    const channel = createScriptedChannel({ answersAtOnce: true, submits: [refused, never] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    assert.equal((await scene.submit()).state, "queued")
    const slow = scene.submit()
    await scene.clock.advance(2_000)
    assert.equal((await slow).state, "queued")
  })

  it("is refused as overloaded while too many are under way, before anything is stored", async () => {
    const settings = { maxSubmissions: 2 }
    const scene = createScene({ channels: [createScriptedChannel()], settings, isStarted: false })
    const { admit } = scene.storage
    const stored = Promise.withResolvers<void>()
    scene.storage.admit = async (request) => {
      await stored.promise
      return admit(request)
    }
    const accepted = [scene.submit(), scene.submit()]
    const overload = { code: "overloaded", retryable: true, retryAfterMs: 1_000 }
    await assert.rejects(scene.submit(), overload)
    stored.resolve()
    await Promise.all(accepted)
    assert.equal(scene.storage.events.size, 2)
    await scene.submit()
    assert.equal(scene.storage.events.size, 3)
  })

  it("is refused as overloaded once the engine stops", async () => {
    const scene = createScene({ channels: [createScriptedChannel()] })
    await scene.engine.stop()
    await assert.rejects(scene.submit(), { code: "overloaded", retryable: true })
  })
})

describe("an engine", () => {
  const parts = { storage: createMemoryStorage(), artifacts: createMemoryArtifacts() }
  const base = { ...parts, models: [MODEL], prices: PRICES, channels: [createScriptedChannel()] }
  const wrongs: readonly (readonly [string, object, RegExp])[] = [
    ["a setting that does not exist", { settings: { claim: 5 } }, /claim is not a setting/],
    ["a setting that is no positive integer", { settings: { endAfterMs: 0 } }, /endAfterMs/],
    ["two channels of one name", { channels: [...base.channels, ...base.channels] }, /scripted/],
    ["a model without a price", { prices: [{ version: "2", models: {} }] }, /table 2.*model-a/],
  ]
  for (const [what, change, message] of wrongs) {
    it(`is not made from ${what}`, () => {
      assert.throws(
        () => createEngine({ ...base, ...change }),
        (error) => {
          assert.ok(error instanceof SafelightError)
          assert.equal(error.code, "invalid-configuration")
          assert.match(error.message, message)
          return true
        },
      )
    })
  }
})
