/** A task that services pass on to each other: how many did is known at each, and bounded. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { MAX_HOPS, type Channel, type ChannelRequest } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"

const REQUEST = { account: "ada", model: "model-a", parameters: { prompt: "fog" } }

interface World {
  readonly scene: Scene
  readonly asked: readonly ChannelRequest[]
}

function createWorld(more: Partial<Channel>): World {
  const asked: ChannelRequest[] = []
  const scripted = createScriptedChannel({ submits: Array.from({ length: 9 }, () => completed()) })
  const channel: Channel = {
    ...scripted,
    ...more,
    submit(request) {
      asked.push(request)
      return scripted.submit(request)
    },
  }
  return { asked, scene: createScene({ channels: [{ channel }] }) }
}

describe("the services that a task has passed through", () => {
  it("are told to a channel that relays, none for a client's own task", async () => {
    const { asked, scene } = createWorld({ relays: true })
    await scene.engine.submit(REQUEST)
    await scene.clock.advance(1_000)
    await scene.engine.submit({ ...REQUEST, hops: 3 })
    await scene.clock.advance(1_000)
    assert.deepEqual(
      asked.map(({ hops }) => hops),
      [0, 3],
    )
  })

  it("are no other channel's business", async () => {
    const { asked, scene } = createWorld({})
    await scene.engine.submit({ ...REQUEST, hops: 3 })
    await scene.clock.advance(1_000)
    assert.deepEqual(
      asked.map((request) => "hops" in request),
      [false],
    )
  })

  it("are still known to the process that takes the task over", async () => {
    const first = createWorld({ relays: true })
    const { artifacts, clock, storage } = first.scene
    await first.scene.engine.stop()
    const waiting = createScene({
      channels: [createScriptedChannel()],
      artifacts,
      clock,
      storage,
      isStarted: false,
    })
    await waiting.engine.submit({ ...REQUEST, hops: MAX_HOPS })
    const asked: ChannelRequest[] = []
    const scripted = createScriptedChannel({ submits: [completed()] })
    const channel: Channel = {
      ...scripted,
      relays: true,
      submit: (request) => (asked.push(request), scripted.submit(request)),
    }
    createScene({ channels: [{ channel }], artifacts, clock, storage })
    await clock.advance(5_000)
    assert.deepEqual(
      asked.map(({ hops }) => hops),
      [MAX_HOPS],
    )
  })

  for (const hops of [MAX_HOPS + 1, -1, 1.5, NaN]) {
    it(`are bounded, so that no circle of services makes tasks without end: ${hops}`, async () => {
      const { asked, scene } = createWorld({ relays: true })
      const result = await scene.engine.submit({ ...REQUEST, hops })
      assert.deepEqual(result, { kind: "rejected", rejection: { code: "too-many-hops" } })
      assert.deepEqual([asked.length, scene.storage.events.size], [0, 0])
    })
  }
})
