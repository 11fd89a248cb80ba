/** A service that buys at another one: what lies between them may lie, and its channels lead in a circle. */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { MAX_HOPS, textToImage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createService, DEFAULTS, type Service } from "safelight"
import { createStoredKey, openSafelightWorld } from "../../adapters/channel-http/safelight-world.ts"
import { createLogRecorder } from "../../engine/log-recorder.ts"
import {
  startLyingProxy,
  type LyingProxy,
  type ProxiedAnswer,
  type ProxiedRequest,
  type Spoil,
} from "../../support/lying-proxy.ts"
import { createQuickClock } from "../../support/quick-clock.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const world = await openSafelightWorld()
after(() => world[Symbol.asyncDispose]())

interface Front extends AsyncDisposable {
  readonly service: Service
  readonly proxy: LyingProxy
  readonly entries: readonly object[]
  submit(): Promise<string>
}

/** A service of its own, whose one channel is the world's by way of a proxy. */
async function openFront(): Promise<Front> {
  const places = new AsyncDisposableStack()
  const folder = places.use(await createTemporaryFolder())
  const proxy = places.use(await startLyingProxy(world.service.url))
  const { entries, log } = createLogRecorder()
  const channels = [{ type: "safelight", baseUrl: proxy.url }]
  const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data: folder.path, channels }
  const environment = { SAFELIGHT_UPSTREAM_KEY: world.key }
  const service = await createService({ configuration, environment, log })
  places.defer(() => service.stop())
  return {
    service,
    proxy,
    entries,
    async submit() {
      const parameters = { prompt: "fog", size: "square" }
      const request = { account: "ada", model: textToImage.id, parameters }
      const sent = await service.engine.submit(request)
      assert.ok(sent.kind === "submitted", JSON.stringify(sent))
      return sent.task.id
    },
    [Symbol.asyncDispose]: () => places.disposeAsync(),
  }
}

/** The first answer was no use then; and nothing came of it. */
async function untilAskedTwice(
  { proxy, service }: Front,
  meant: (request: ProxiedRequest) => boolean,
  id: string,
): Promise<void> {
  while (proxy.requests.filter(meant).length < 2) {
    const head = await service.storage.readTask(id)
    assert.ok(head?.task.finishedAt === 0, "the task has ended already")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const isContent = (method: string) => (request: { method: string; path: string }) =>
  request.method === method && request.path.endsWith("/content")

function flip({ body, headers, status }: ProxiedAnswer): ProxiedAnswer {
  const others = Buffer.from(body)
  others[others.length - 1] = (others.at(-1) ?? 0) ^ 1
  return { status, headers, body: others }
}

const DIGEST = `sha-256=:${Buffer.alloc(32).toString("base64")}:`
const page = Buffer.from("<p>Please sign in to this network.")

/** While it lasts nothing is stored; the task goes on once it is over. */
const LIES: Readonly<Record<string, readonly [asked: string, spoil: Spoil]>> = {
  "its digest is another's": [
    "HEAD",
    ({ body, headers, status }) => ({
      status,
      body,
      headers: { ...headers, "repr-digest": DIGEST },
    }),
  ],
  "a byte of it is another": ["GET", flip],
  "it ends early, by a length that agrees": [
    "GET",
    ({ body, headers, status }) => {
      const half = body.subarray(0, body.length / 2)
      return { status, headers: { ...headers, "content-length": String(half.length) }, body: half }
    },
  ],
  "it breaks off": ["GET", () => "reset"],
  "a page lies in its place": [
    "GET",
    () => ({ status: 200, headers: { "content-type": "text/html" }, body: page }),
  ],
  "it can't be read there for now": [
    "GET",
    () => ({ status: 503, headers: {}, body: Buffer.alloc(0) }),
  ],
}

// They wait for polls, each on a service of its own.
describe("an output of another Safelight", { concurrency: true }, () => {
  for (const [what, [asked, spoil]] of Object.entries(LIES)) {
    it(`is fetched again, and bought once, where ${what}`, async () => {
      await using front = await openFront()
      const meant = isContent(asked)
      front.proxy.lie(meant, spoil)
      const id = await front.submit()
      await untilAskedTwice(front, meant, id)
      front.proxy.lie()
      const task = (await front.service.engine.finished(id)) ?? assert.fail()
      assert.equal(task.state, "succeeded.available", JSON.stringify(task.error))
      const { id: there } = task.operation as { readonly id: string }
      const made = (await world.service.engine.finished(there)) ?? assert.fail()
      assert.deepEqual(
        task.artifacts.map(({ bytes, sha256 }) => [bytes, sha256]),
        made.artifacts.map(({ bytes, sha256 }) => [bytes, sha256]),
      )
      assert.equal(front.proxy.requests.filter(({ method }) => method === "POST").length, 1)
      assert.equal(JSON.stringify(front.entries).includes(world.key), false, "the key is told")
    })
  }

  it("is not fetched from anywhere else, where its address leads away", async () => {
    await using front = await openFront()
    await using stranger = await startLyingProxy(world.service.url)
    const meant = isContent("GET")
    front.proxy.lie(meant, ({ body }) => {
      return { status: 302, headers: { location: `${stranger.url}/secret` }, body }
    })
    const id = await front.submit()
    await untilAskedTwice(front, meant, id)
    front.proxy.lie()
    const task = (await front.service.engine.finished(id)) ?? assert.fail()
    assert.equal(task.state, "succeeded.available")
    assert.deepEqual(stranger.requests, [])
  })
})

describe("services whose channels lead in a circle", () => {
  it("end a task after a few rounds, which says so", async (t) => {
    const places = new AsyncDisposableStack()
    t.after(() => places.disposeAsync())
    const proxy = places.use(await startLyingProxy())
    const folder = places.use(await createTemporaryFolder())
    const channels = [{ type: "safelight", baseUrl: proxy.url }]
    const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data: folder.path, channels }
    // Its own key, which is there before it is.
    const storage = await createSqliteStorage({ folder: folder.path, mode: "serve" })
    const key = await createStoredKey(storage, "circle")
    await storage.close()
    const environment = { SAFELIGHT_UPSTREAM_KEY: key }
    // Each round waits for the polls of all those behind it.
    const clock = createQuickClock()
    const service = await createService({ configuration, environment, clock })
    places.defer(() => service.stop())
    proxy.aim(service.url)
    const parameters = { prompt: "fog" }
    const sent = await service.engine.submit({ account: "ada", model: textToImage.id, parameters })
    assert.ok(sent.kind === "submitted")
    const task = (await service.engine.finished(sent.task.id)) ?? assert.fail()
    assert.equal(task.error?.code, "provider_rejected")
    const { streams } = await service.storage.scan({ after: "", limit: 1_000 })
    assert.equal(streams.length, MAX_HOPS + 1)
    const heads = await Promise.all(streams.map(({ id }) => service.storage.readTask(id)))
    const words = heads.map((head) => head?.task.error?.message)
    const circle = "The channels of several services lead in a circle."
    assert.equal(words.filter((each) => each === circle).length, 1)
    assert.ok(heads.every((head) => head?.task.chargeMicros === 0))
  })
})
