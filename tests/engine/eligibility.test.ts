/** Channels that take only what they can express exactly: no request is changed to fit. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Channel } from "@safelight/core"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene } from "./support.ts"

/** A channel that makes so many pictures at most. */
function createPicky(name: string, most: number): ScriptedChannel {
  const submits = Array.from({ length: 9 }, () => completed())
  const accepts: Channel["accepts"] = ({ parameters }) => {
    if (Number(parameters["count"]) <= most) return true
    const reason = `more than ${most} pictures are not offered`
    return { kind: "ineligible", reason, param: "count" }
  }
  return { ...createScriptedChannel({ name, submits }), accepts }
}

const FOUR = { prompt: "a quiet harbour", count: 4 }

describe("a request that a channel can't express", () => {
  it("goes to one that can, though it stands in a later tier, and the log says why", async () => {
    const [one, four] = [createPicky("one", 1), createPicky("four", 4)]
    const scene = createScene({
      channels: [
        { channel: one, tier: 1 },
        { channel: four, tier: 2 },
      ],
    })
    const many = await scene.submit(FOUR)
    const single = await scene.submit()
    await scene.clock.advance(2_000)
    const { channel, because } = (await scene.read(many.id)).dispatch ?? {}
    assert.equal(channel, "four")
    assert.match(
      because ?? "",
      /^tier 2, 1 of 2 channels able; one: more than 1 pictures are not offered$/,
    )
    assert.equal((await scene.read(single.id)).dispatch?.channel, "one")
  })

  it("goes to one that can also where it had to wait in the queue", async () => {
    const [one, four] = [createPicky("one", 1), createPicky("four", 4)]
    const scene = createScene({ channels: [one, four], isStarted: false })
    const tasks = [await scene.submit(FOUR), await scene.submit(), await scene.submit(FOUR)]
    scene.engine.start()
    await scene.clock.advance(5_000)
    for (const { id } of tasks) {
      assert.equal((await scene.read(id)).state, "succeeded.available")
    }
    assert.deepEqual(
      one.calls.map(({ request }) => "parameters" in request && request.parameters?.["count"]),
      one.calls.map(() => 1),
    )
  })

  it("is refused where none can, by parameter and with every channel's reason", async () => {
    const scene = createScene({ channels: [createPicky("one", 1), createPicky("two", 2)] })
    const request = { account: "ada", model: "model-a", parameters: FOUR }
    const sent = await scene.engine.submit(request)
    assert.ok(sent.kind === "rejected" && sent.rejection.code === "invalid-parameters")
    assert.deepEqual(
      sent.rejection.issues,
      [1, 2].map((most) => ({
        param: "parameters.count",
        code: "invalid_value",
        message: `parameters.count: more than ${most} pictures are not offered.`,
      })),
    )
    assert.equal(scene.storage.events.size, 0)
  })

  it("is not given to one that can't say, and others go on", async () => {
    const answers: readonly (() => unknown)[] = [
      () => {
        throw new TypeError("a bug of somebody's")
      },
      () => undefined,
      () => ({ kind: "ineligible" }),
    ]
    for (const answer of answers) {
      const { entries, log } = createLogRecorder()
      const accepts = answer as NonNullable<Channel["accepts"]>
      const odd = { ...createPicky("odd", 4), accepts }
      const channels = [odd, { channel: createPicky("four", 4), tier: 2 }]
      const scene = createScene({ channels, log })
      await scene.clock.advance(0)
      const tasks = [await scene.submit(), await scene.submit()]
      await scene.clock.advance(2_000)
      for (const { id } of tasks) {
        const { because, channel } = (await scene.read(id)).dispatch ?? {}
        assert.equal(channel, "four")
        const words = "odd: it does not say whether it takes the request"
        assert.equal(because, `tier 2, 1 of 2 channels able; ${words}`)
      }
      const errors = entries.filter(({ level }) => level === "error")
      assert.equal(errors.length, answer === answers[0] ? 1 : 0)
    }
  })

  it("is left to another node that can", async () => {
    const { entries, log } = createLogRecorder()
    const unable = createScene({ channels: [createPicky("one", 1)], log })
    const { artifacts, clock, storage } = unable
    const able = createScene({
      channels: [createPicky("four", 4)],
      artifacts,
      clock,
      storage,
      isStarted: false,
    })
    const { id } = await able.submit(FOUR)
    await clock.advance(10_000)
    assert.deepEqual(unable.story(id), ["submitted"])
    const lines = entries.filter(({ level }) => level === "error")
    assert.deepEqual(
      lines.map(({ fields }) => fields["lack"]),
      ["one: more than 1 pictures are not offered"],
    )
    able.engine.start()
    await clock.advance(60_000)
    assert.equal((await able.read(id)).state, "succeeded.available")
  })
})
