/**
 * The contract of `Channel`: what every channel keeps to whatever it speaks to, each behaviour on a
 * channel of its own: one purchase a key, work that any process can continue, and secrets that are shown to
 * nobody.
 */
import assert from "node:assert/strict"
import {
  type CallbackRequest,
  type Channel,
  type ChannelRequest,
  type Completed,
  type Json,
  type ParameterValues,
  type PollRequest,
  type SubmitOutcome,
} from "@safelight/core"
import { checkOutput } from "./check-output.ts"
import { sampleRequest } from "./channel-samples.ts"
import { describeContract, type Behaviours, type Divergence } from "./contract.ts"

export interface ChannelFixture {
  readonly channel: Channel
  /** The same channel as another process has it, or this one after a restart. */
  readonly reopen: () => Channel | Promise<Channel>
  /** From now on the provider does not answer; absent if the channel asks no one. */
  readonly cutOff?: () => Promise<void>
  /**
   * Begins to listen for callbacks of the provider; required if the channel has `receive`. A callback is
   * handed over as it came: bytes, and headers by name in lower case.
   */
  readonly listen?: () => Promise<CallbackListener>
  /** How often it was made to create something, where that is visible from outside. */
  readonly countPurchases?: () => number
  /** Keys and tokens, which may stand in no handle, outcome or error. Plain words stand in stacks anyway. */
  readonly secrets?: readonly string[]
  /** Closes all channels that it handed out. */
  cleanUp(): Promise<void>
}

export interface CallbackListener {
  /** For a `CallbackAddress`. */
  readonly url: string
  /** The next one, once it has come. */
  next(): Promise<Pick<CallbackRequest, "body" | "headers" | "query">>
}

export interface ChannelContractOptions {
  /** By the id of a model: parameters that the channel takes, where those of the samples are none. */
  readonly parameters?: Readonly<Record<string, ParameterValues>>
  /** Behaviours that this channel is known to lack, by the name of their test. */
  readonly divergences?: readonly Divergence[]
}

/** Declares one suite; `create` hands out a channel of its own for every behaviour. */
export function describeChannel(
  name: string,
  create: () => Promise<ChannelFixture>,
  options: ChannelContractOptions = {},
): void {
  const { parameters = {}, ...others } = options
  const toRequest = (model: string): ChannelRequest => sampleRequest(model, parameters[model])
  describeContract({
    title: `${name} is a channel`,
    behaviours: BEHAVIOURS,
    async create() {
      const fixture = await create()
      return { ...fixture, toRequest, cleanUp: () => fixture.cleanUp() }
    },
    ...others,
  })
}

interface Scene extends ChannelFixture {
  /** With an upstream key of its own. */
  readonly toRequest: (model: string) => ChannelRequest
}

const BEHAVIOURS: Behaviours<Scene> = {
  "it says of itself what an engine goes by": async ({ channel }) => {
    assert.match(channel.name, /^[a-z0-9][a-z0-9._-]{0,63}$/i)
    assert.notEqual(channel.models.length, 0)
    assert.equal(new Set(channel.models).size, channel.models.length, "a model is named twice")
    const { concurrency, sendWithinMs = 1, submission, submitTimeoutMs } = channel
    const { requestsPerMinute = 1 } = channel
    for (const number of [concurrency, requestsPerMinute, sendWithinMs, submitTimeoutMs]) {
      assert.ok(Number.isSafeInteger(number) && number > 0, `${number} is no positive integer`)
    }
    assert.ok(sendWithinMs <= submitTimeoutMs, "a request may leave after its call has ended")
    if (submission.kind === "keyed") assert.ok(submission.keyTtlMs > 0)
    if (submission.kind === "lookup") assert.ok(channel.find !== undefined, "it can't be asked")
  },

  "each of its models is made, by one purchase": async ({ channel, countPurchases, toRequest }) => {
    for (const model of channel.models) {
      const before = countPurchases?.() ?? 0
      const { outputs } = await carryOut(channel, toRequest(model))
      assert.notEqual(outputs.length, 0, `${model} came to nothing`)
      for (const output of outputs) await checkOutput(channel, output)
      if (countPurchases !== undefined) assert.equal(countPurchases() - before, 1, model)
    }
  },

  "another process goes on with its work, by a handle that is plain JSON": async (scene) => {
    const { channel, secrets = [], toRequest } = scene
    for (const model of channel.models) {
      const request = toRequest(model)
      const submitted = await submitUntilTaken(channel, request)
      if (submitted.kind !== "accepted") continue
      const text = JSON.stringify(submitted.operation)
      assert.notEqual(submitted.operation, null)
      assert.deepEqual(JSON.parse(text), submitted.operation, "it is no plain JSON")
      for (const secret of secrets) assert.equal(text.includes(secret), false, "a secret is in it")
      const other = await scene.reopen()
      const completed = await follow(other, request, JSON.parse(text) as Json)
      for (const output of completed.outputs) await checkOutput(other, output)
    }
  },

  "a key that is honoured buys once, whoever repeats it": async (scene) => {
    const { channel, countPurchases, toRequest } = scene
    if (channel.submission.kind !== "keyed") return
    const request = toRequest(first(channel.models))
    const before = countPurchases?.() ?? 0
    const submitted = await submitUntilTaken(channel, request)
    const repeated = await submitUntilTaken(await scene.reopen(), renew(request))
    assert.equal(repeated.kind, submitted.kind)
    if (submitted.kind === "accepted" && repeated.kind === "accepted") {
      assert.deepEqual(repeated.operation, submitted.operation)
    }
    const another = await submitUntilTaken(channel, toRequest(first(channel.models)))
    if (submitted.kind === "accepted" && another.kind === "accepted") {
      assert.notDeepEqual(another.operation, submitted.operation, "two keys, one operation")
    }
    if (countPurchases !== undefined) assert.equal(countPurchases() - before, 2)
  },

  "a key that is looked up is found once it was sent, and not before": async (scene) => {
    const { channel, toRequest } = scene
    if (channel.submission.kind !== "lookup") return
    const request = toRequest(first(channel.models))
    assert.equal(await channel.find?.(request), null)
    const submitted = await channel.submit(request)
    assert.ok(submitted.kind === "accepted", JSON.stringify(submitted))
    const other = await scene.reopen()
    assert.deepEqual(await other.find?.(renew(request)), { operation: submitted.operation })
    assert.equal(await other.find?.(toRequest(first(channel.models))), null)
  },

  "work that it says was stopped comes to nothing": async ({ channel, toRequest }) => {
    if (channel.cancel === undefined) return
    const request = toRequest(first(channel.models))
    const submitted = await submitUntilTaken(channel, request)
    if (submitted.kind !== "accepted") return
    const poll = toPoll(request, submitted.operation)
    const outcomes = [await channel.cancel(poll), await channel.cancel(renew(poll))]
    for (const outcome of outcomes) assert.match(outcome, /^(?:stopped|too-late|unknown)$/)
    if (!outcomes.includes("stopped")) return
    const asked = await Promise.allSettled([channel.poll(renew(poll))])
    const isCompleted = asked.some(
      (each) => each.status === "fulfilled" && each.value.kind === "completed",
    )
    assert.equal(isCompleted, false, "it was made all the same")
  },

  "work that is complete is too late to stop, and still to be had": async (scene) => {
    const { channel, toRequest } = scene
    if (channel.cancel === undefined) return
    const request = toRequest(first(channel.models))
    const submitted = await submitUntilTaken(channel, request)
    if (submitted.kind !== "accepted") return
    await follow(channel, request, submitted.operation)
    const poll = toPoll(request, submitted.operation)
    assert.notEqual(await channel.cancel(poll), "stopped")
    await follow(channel, request, submitted.operation)
  },

  "what it takes it says the same way each time, and changes nothing of it": async (scene) => {
    const { channel, toRequest } = scene
    for (const model of channel.models) {
      const { parameters } = toRequest(model)
      const before = JSON.stringify(parameters)
      const answers = [1, 2].map(() => channel.accepts?.({ model, parameters }) ?? true)
      assert.deepEqual(answers, [true, true])
      await channel.submit({ ...toRequest(model), parameters: deepFreeze(parameters) })
      assert.equal(JSON.stringify(parameters), before)
    }
  },

  "a call that was called off before it began ends, and buys nothing": async (scene) => {
    const { channel, countPurchases, toRequest } = scene
    const controller = new AbortController()
    controller.abort()
    const before = countPurchases?.() ?? 0
    const request = { ...toRequest(first(channel.models)), signal: controller.signal }
    await Promise.allSettled([channel.submit(request)])
    if (countPurchases !== undefined) assert.equal(countPurchases() - before, 0)
  },

  "secrets stay where they are when nobody answers": async (scene) => {
    const { channel, secrets = [], toRequest } = scene
    if (scene.cutOff === undefined) return
    const model = first(channel.models)
    const request = toRequest(model)
    const submitted = await submitUntilTaken(channel, request)
    await scene.cutOff()
    const told = [await tell(async () => channel.submit(toRequest(model)))]
    if (submitted.kind === "accepted") {
      const poll = await tell(() => channel.poll(toPoll(request, submitted.operation)))
      assert.ok(poll.isError, `nobody answered, and yet it is known: ${poll.text}`)
      told.push(poll)
    }
    for (const { text } of told) {
      for (const secret of secrets) assert.ok(!text.includes(secret), `a secret is told: ${text}`)
    }
  },

  "a callback says the same each time, and nothing once anybody has touched it": async (scene) => {
    const { channel, secrets = [] } = scene
    if (channel.receive === undefined) return
    const receive = channel.receive.bind(channel)
    const { callback, request } = await callBack(scene)
    const outcome = await receive(callback)
    assert.equal(outcome.kind, channel.hasVerifiedCallbacks === true ? "verified" : "hint")
    assert.deepEqual(await receive(callback), outcome)
    const other = await scene.reopen()
    assert.deepEqual(await other.receive?.(callback), outcome)
    const text = JSON.stringify(outcome)
    for (const secret of secrets) assert.equal(text.includes(secret), false, "a secret is in it")
    if (outcome.kind !== "verified") return
    const { body } = callback
    for (const at of [0, Math.floor(body.byteLength / 2), body.byteLength - 1]) {
      const touched = Uint8Array.from(body)
      touched[at] = (touched[at] ?? 0) ^ 1
      assert.deepEqual(await receive({ ...callback, body: touched }), { kind: "forged" })
    }
    assert.deepEqual(await receive({ ...callback, headers: {} }), { kind: "forged" })
    if (outcome.operation === undefined) return
    const completed = await follow(
      other,
      request,
      JSON.parse(JSON.stringify(outcome.operation)) as Json,
    )
    for (const output of completed.outputs) await checkOutput(other, output)
  },

  "it is closed twice without harm": async ({ channel }) => {
    await channel.close?.()
    await channel.close?.()
  },
}

/** The callback for a purchase of the first model. */
async function callBack(
  scene: Scene,
): Promise<{ readonly request: ChannelRequest; readonly callback: CallbackRequest }> {
  const { channel, listen, toRequest } = scene
  const listener = (await listen?.()) ?? assert.fail("it has receive, and nobody listens")
  const request = toRequest(first(channel.models))
  const secret = "contract".repeat(6).slice(0, 43)
  await submitUntilTaken(channel, { ...request, callback: { url: listener.url, secret } })
  const { model, signal, upstreamKey } = renew(request)
  return { request, callback: { ...(await listener.next()), model, signal, upstreamKey, secret } }
}

function first(models: readonly string[]): string {
  return models[0] ?? assert.fail("it serves no model")
}

/** The same request of another call. */
function renew<Request extends ChannelRequest | PollRequest>(request: Request): Request {
  return { ...request, signal: new AbortController().signal }
}

function toPoll(request: ChannelRequest, operation: Json): PollRequest {
  return { ...renew(request), operation, progress: 0 }
}

async function carryOut(channel: Channel, request: ChannelRequest): Promise<Completed> {
  const submitted = await submitUntilTaken(channel, request)
  return submitted.kind === "completed" ? submitted : follow(channel, request, submitted.operation)
}

/** Sends the key again while it is being taken in. */
async function submitUntilTaken(
  channel: Channel,
  request: ChannelRequest,
): Promise<Extract<SubmitOutcome, { kind: "accepted" | "completed" }>> {
  for (;;) {
    const outcome = await channel.submit(renew(request))
    if (outcome.kind === "accepted" || outcome.kind === "completed") return outcome
    assert.equal(outcome.kind, "pending", `it was not taken in: ${JSON.stringify(outcome)}`)
  }
}

async function follow(
  channel: Channel,
  request: ChannelRequest,
  operation: Json,
): Promise<Completed> {
  let progress = 0
  for (;;) {
    const outcome = await channel.poll({ ...toPoll(request, operation), progress })
    if (outcome.kind === "completed") return outcome
    assert.ok(outcome.kind === "running", JSON.stringify(outcome))
    assert.ok(outcome.pollAfterMs >= 0)
    progress = outcome.progress ?? progress
    assert.ok(progress >= 0 && progress < 100, `${progress} is no progress`)
  }
}

interface Told {
  readonly isError: boolean
  readonly text: string
}

/** The outcome or error of a call as text, with causes and stacks. */
async function tell(call: () => Promise<unknown>): Promise<Told> {
  try {
    return { isError: false, text: JSON.stringify(await call()) }
  } catch (error) {
    return { isError: true, text: toText(error) }
  }
}

function toText(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error)
  return [error.stack, JSON.stringify(error), error.cause && toText(error.cause)].join("\n")
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value
  for (const child of Object.values(value)) deepFreeze(child)
  return Object.freeze(value)
}
