/** Erasing what was written for a task while a channel works on it: what was bought is not lost. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { PollOutcome, PollRequest } from "@safelight/core"
import { createScriptedChannel, type PollReply, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene, ACCEPTED, submitTo } from "./support.ts"

interface TakenOver {
  readonly id: string
  readonly channel: ScriptedChannel
  /** Of the process that has the task now. */
  readonly scene: Scene
}

/** A running task, erased, whose process is gone: the next one knows nothing of its parameters. */
async function takeOver(
  reply: PollReply,
  isErased = true,
  ...more: readonly PollReply[]
): Promise<TakenOver> {
  const quiet = (): Promise<never> => new Promise(() => {})
  const first = createScene({
    channels: [createScriptedChannel({ submits: [ACCEPTED], polls: [quiet] })],
  })
  const { artifacts, clock, storage } = first
  const { id } = await first.submit()
  await clock.advance(1_000)
  assert.equal((await first.read(id)).state, "running")
  if (isErased) assert.equal(await first.engine.erase({ account: "ada", id }), true)
  await first.engine.stop()
  const channel = createScriptedChannel({ polls: [reply, ...more] })
  const scene = createScene({ channels: [channel], artifacts, clock, storage })
  await clock.advance(1_000)
  return { id, channel, scene }
}

/** A channel that goes by the request itself. */
function read({ parameters }: PollRequest): PollOutcome {
  if (parameters === undefined) return { kind: "refused", code: "internal_error" }
  assert.equal(parameters["prompt"], "a quiet harbour")
  return completed()
}

describe("a running task whose parameters were erased", () => {
  it("is followed by the next process all the same, and charged", async () => {
    const { channel, id, scene } = await takeOver(completed())
    const task = await scene.read(id)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
    assert.equal(task.chargeMicros, 30_000)
    const [call] = channel.calls
    assert.ok(call !== undefined && "operation" in call.request)
    assert.deepEqual(call.request.operation, { id: 7 })
    assert.equal(call.request.upstreamKey, `${id}.1`)
  })

  it("fails uncharged where its channel can't tell without them", async () => {
    const erased = await takeOver(read)
    const { chargeMicros, error } = await erased.scene.read(erased.id)
    assert.deepEqual([error?.code, chargeMicros], ["internal_error", 0])
    const { id, scene } = await takeOver(read, false)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("is stopped at its end like any other", async () => {
    const running = { kind: "running", pollAfterMs: 700_000 } as const
    const { channel, id, scene } = await takeOver(running, true, running)
    await scene.clock.advance(700_000)
    assert.equal((await scene.read(id)).error?.code, "generation_timeout")
    assert.deepEqual(
      channel.calls.map(({ method }) => method),
      ["poll", "poll", "cancel"],
    )
  })
})

describe("a refusal after an erasure", () => {
  const refused = {
    kind: "refused",
    code: "provider_rejected",
    providerWords: "no quiet harbour, please",
  } as const

  it("is recorded without the provider's words", async () => {
    const { id, scene } = await takeOver(refused)
    assert.equal((await scene.read(id)).error?.code, "provider_rejected")
    assert.equal(scene.storage.inputs.size, 0)
  })

  it("is so too by the process that still remembers the request", async () => {
    const erasing = async ({ task }: PollRequest): Promise<PollOutcome> => {
      await scene.engine.erase({ account: "ada", id: task })
      return refused
    }
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls: [erasing] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).error?.code, "provider_rejected")
    assert.equal(scene.storage.inputs.size, 0)
  })
})
