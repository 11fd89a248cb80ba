/**
 * Providers' webhooks as they come to a service on its socket, with each of their faults: a purchase
 * whose answer was lost is healed by what its provider signed, and by nothing else.
 */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import { imageEdit, referenceToVideo, textToImage, type Task } from "@safelight/core"
import type { RunningStub, StubFaults, StubOptions } from "@safelight/testkit/stubs"
import type { LogEntry } from "../../engine/log-recorder.ts"
import { openForwarder } from "../../support/forwarder.ts"
import { until } from "../../support/until.ts"
import { openOwnServices, submitTask } from "../own-services.ts"

const KEY = "key-of:a-provider"
const SECRET = `whsec_${Buffer.from("a secret of this account").toString("base64")}`
const PICTURE = [textToImage.id, { prompt: "fog" }] as const
const FILM = [referenceToVideo.id, { prompt: "waves", duration: 4, resolution: "720p" }] as const
const EDIT = [
  imageEdit.id,
  { prompt: "in fog", image_urls: ["data:image/png;base64,AAAA"], aspect_ratio: "1:1" },
] as const

/** By type: what is asked for. They sign what they send. */
const SIGNING = { fal: PICTURE, replicate: PICTURE, "black-forest-labs": EDIT } as const
/** They sign nothing. */
const SILENT = { ark: FILM, runware: PICTURE } as const

/** The state once the engine has noticed that its call was cut: the webhook may be faster. */
async function readJudged(world: World, id: string): Promise<string> {
  const isJudged = ({ state }: { readonly state: string }): boolean => state !== "dispatching"
  return (await until(() => world.read(id), isJudged)).state
}

describe("a webhook that its provider signs", { concurrency: true }, () => {
  for (const type of Object.keys(SIGNING)) {
    for (const webhook of [undefined, "doubled", "reordered"] as const) {
      it(`heals a purchase whose answer was lost: ${type}, ${webhook ?? "no fault"}`, async (t) => {
        const world = await openWorld(t, type)
        const faults = webhook === undefined ? {} : { webhook }
        const id = await world.submit({ create: "reset", ...faults, times: 1 })
        assert.equal((await world.finished(id)).state, "succeeded.available")
        assert.deepEqual(await world.listTypes(id), [...LOST_STORY, "accepted", "succeeded"])
        await world.settled()
        assert.ok(world.stub.deliveries.every(({ status }) => status === 204))
        assert.equal(world.stub.purchases.length, 1)
        assert.deepEqual(world.findSecrets(), [])
      })
    }

    it(`may come before the answer to the purchase: ${type}`, async (t) => {
      const world = await openWorld(t, type)
      const id = await world.submit({ webhook: "early", times: 1 })
      assert.equal((await world.finished(id)).state, "succeeded.available")
      assert.equal(world.stub.deliveries[0]?.status, 204)
      assert.equal(world.stub.purchases.length, 1)
      assert.deepEqual(
        world.entries.filter(({ level }) => level === "error"),
        [],
      )
    })

    it(`is refused where somebody changed it, and heals nothing: ${type}`, async (t) => {
      const world = await openWorld(t, type)
      const id = await world.submit({ create: "reset", webhook: "forged", times: 1 })
      await world.delivered(401)
      assert.equal(await readJudged(world, id), "doubtful")
    })

    it(`that is lost costs only time: ${type}`, async (t) => {
      const world = await openWorld(t, type)
      const id = await world.submit({ webhook: "lost", times: 1 })
      assert.equal((await world.finished(id)).state, "succeeded.available")
      assert.deepEqual(world.stub.deliveries, [])
    })
  }

  for (const type of ["fal", "replicate"]) {
    it(`is refused where it was signed long ago: ${type}`, async (t) => {
      const world = await openWorld(t, type)
      const id = await world.submit({ create: "reset", webhook: "stale", times: 1 })
      await world.delivered(401)
      assert.equal(await readJudged(world, id), "doubtful")
    })

    it(`about work that nobody has is not taken in: ${type}`, async (t) => {
      const world = await openWorld(t, type)
      const id = await world.submit({ create: "reset", webhook: "foreign", times: 1 })
      await world.delivered(503)
      assert.equal(await readJudged(world, id), "doubtful")
    })
  }

  for (const own of ["rotated-key", "payload-error", "retried"]) {
    it(`is known whatever fal does: ${own}`, async (t) => {
      const world = await openWorld(t, "fal")
      const id = await world.submit({ create: "reset", own: [own], times: 1 })
      assert.equal((await world.finished(id)).state, "succeeded.available")
      assert.equal(world.stub.purchases.length, 1)
    })
  }

  it("that tells of a failure ends the task as a poll would", async (t) => {
    const world = await openWorld(t, "fal")
    const own = ["content-policy"].filter((name) => world.stub.ownFaults.includes(name))
    assert.deepEqual(own, ["content-policy"])
    const id = await world.submit({ create: "reset", own, times: 1 })
    const { error, state } = await world.finished(id)
    assert.deepEqual([state, error?.code], ["failed", "content_policy_violation"])
  })

  it("is not asked for where its secret is missing, or nobody could call", async (t) => {
    for (const options of [{ secret: "" }, { isPublic: false }]) {
      const world = await openWorld(t, "replicate", options)
      const id = await world.submit({})
      assert.equal((await world.finished(id)).state, "succeeded.available")
      assert.equal(JSON.stringify(world.stub.purchases).includes("webhook"), false)
    }
  })
})

describe("a webhook that nobody signs", { concurrency: true }, () => {
  for (const type of Object.keys(SILENT)) {
    it(`is a reason to ask, and to no harm whatever it says: ${type}`, async (t) => {
      for (const webhook of [undefined, "forged", "foreign", "doubled", "early"] as const) {
        const world = await openWorld(t, type)
        const id = await world.submit(webhook === undefined ? {} : { webhook, times: 1 })
        assert.equal((await world.finished(id)).state, "succeeded.available")
        await world.settled()
        assert.ok(world.stub.deliveries.length > 0)
        assert.ok(world.stub.deliveries.every(({ status }) => status === 204))
        assert.equal(world.stub.purchases.length, 1)
      }
    })
  }

  it("heals no purchase", async (t) => {
    const world = await openWorld(t, "ark")
    const id = await world.submit({ create: "reset", times: 1 })
    await world.delivered(204)
    await world.settled()
    assert.equal(await readJudged(world, id), "doubtful")
  })
})

const LOST_STORY = ["submitted", "dispatched", "doubted"]

interface World {
  readonly stub: RunningStub
  readonly entries: readonly LogEntry[]
  /** With faults of the provider; to the task's id. */
  submit(faults: Partial<StubFaults>): Promise<string>
  finished(id: string): Promise<Task>
  read(id: string): Promise<Task>
  listTypes(id: string): Promise<readonly string[]>
  /** Once a delivery was answered so. */
  delivered(status: number): Promise<void>
  /** Once nothing was delivered for a while. */
  settled(): Promise<void>
  /** What must stand in no event and no line of the log, and does. */
  findSecrets(): readonly string[]
}

interface WorldOptions extends StubOptions {
  readonly secret?: string
  readonly isPublic?: boolean
}

async function openWorld(t: TestContext, type: string, options: WorldOptions = {}): Promise<World> {
  const { isPublic = true, secret = SECRET } = options
  const { entries, places, start, startStub } = await openOwnServices(t)
  const stub = await startStub(type, { runMs: 50, webhookSecret: SECRET })
  const pollEvery = { shortestMs: 100, longestMs: 2_000 }
  const channels = [{ type, baseUrl: stub.url, keyVariable: "PROVIDER_KEY", pollEvery }]
  const forwarder = places.use(await openForwarder())
  const environment = { PROVIDER_KEY: KEY, REPLICATE_WEBHOOK_SECRET: secret }
  const address = isPublic ? { publicUrl: forwarder.url } : {}
  const service = await start({ channels, ...address }, { environment })
  forwarder.target = service.url
  const { engine, storage } = service
  const [model, parameters] = { ...SIGNING, ...SILENT }[type as keyof typeof SIGNING]
  const world: World = {
    stub,
    entries,
    async submit(faults) {
      stub.setFaults(faults)
      return (await submitTask(service, { account: "sample", model, parameters })).id
    },
    finished: async (id) => (await engine.finished(id)) ?? assert.fail("no such task"),
    read: async (id) => (await storage.readTask(id))?.task ?? assert.fail("no such task"),
    listTypes: async (id) => (await storage.readEvents(id)).map((event) => event.type),
    async delivered(status) {
      while (!stub.deliveries.some((delivery) => delivery.status === status)) await setTimeout(10)
    },
    async settled() {
      for (let count = -1; count !== stub.deliveries.length;) {
        count = stub.deliveries.length
        await setTimeout(100)
      }
    },
    findSecrets() {
      const keys = stub.deliveries.map(({ url }) => url.slice(-43))
      return [KEY, SECRET, ...keys].filter((each) => JSON.stringify(entries).includes(each))
    },
  }
  return world
}
