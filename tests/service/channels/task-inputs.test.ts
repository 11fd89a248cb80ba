/**
 * The inputs of tasks on a whole service: fetched by providers at signed addresses, measured, charged,
 * and refused where they lead into a private network.
 */
import assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, describe, it } from "node:test"
import { referenceToVideo, type Task } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { createService, DEFAULTS, type Configuration, type Service } from "safelight"
import { createFilm } from "../../adapters/media-inspector/sample-media.ts"
import { createLogRecorder } from "../../engine/log-recorder.ts"
import { MEDIA_HEADS } from "../../support/media-heads.ts"
import { until } from "../../support/until.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { makeTask, submitTask } from "../own-services.ts"

const PUBLIC_URL = "https://safelight.example/api"
const { id: MODEL } = referenceToVideo
const HOUR_MS = 3_600_000

const toDataUrl = (type: string, content: Buffer): string =>
  `data:${type};base64,${content.toString("base64")}`

interface World {
  readonly service: Service
  readonly engine: Service["engine"]
  readonly stub: RunningStub
  readonly told: () => string
  /** Time goes on by so much. */
  readonly skip: (durationMs: number) => void
  carryOut(parameters: object): Promise<Task>
  /** The paths of the addresses that the last purchase was given, below the public one. */
  readonly paths: () => readonly string[]
}

const places = new AsyncDisposableStack()
after(() => places.disposeAsync())

async function createWorld(
  type: string,
  more: Partial<Configuration> = {},
  isPublic = true,
  runMs = 20,
): Promise<World> {
  const folder = places.use(await createTemporaryFolder())
  const stub = places.use((await STUBS[type]?.({ runMs })) ?? assert.fail())
  const { entries, log } = createLogRecorder()
  const channels = [{ type, baseUrl: stub.url, keyVariable: "PROVIDER_KEY" }]
  const own = { ...DEFAULTS, port: 0, stopGraceMs: 0, data: folder.path }
  const reach = isPublic ? { publicUrl: PUBLIC_URL } : {}
  const configuration = { ...own, ...reach, channels, ...more }
  const environment = { PROVIDER_KEY: "a-key:b" }
  let aheadMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const service = await createService({ configuration, environment, log, clock })
  places.defer(() => service.stop())
  return {
    service,
    engine: service.engine,
    stub,
    told: () => JSON.stringify(entries),
    skip: (durationMs) => void (aheadMs += durationMs),
    carryOut: (parameters) => makeTask(service, { account: "sample", model: MODEL, parameters }),
    paths() {
      const text = JSON.stringify(stub.purchases.at(-1)?.body)
      return [...text.matchAll(/https:\/\/safelight\.example\/api([^"]+)/g)].map(
        ([, path = ""]) => path,
      )
    },
  }
}

describe("an input that came with its request", () => {
  const picture = Buffer.concat([MEDIA_HEADS.png, Buffer.alloc(3_000_000, 7)])
  const image = toDataUrl("image/png", picture)
  let world: World
  let film: Buffer
  let task: Task
  let addresses: readonly string[]

  before(async () => {
    film = await createFilm({ format: "mp4" })
    world = await createWorld("higgsfield")
    const video_urls = [toDataUrl("video/mp4", film)]
    task = await world.carryOut({ prompt: "fog", duration: 4, image_urls: [image], video_urls })
    assert.equal(task.state, "succeeded.available", JSON.stringify(task))
    addresses = world.paths().map((path) => `${world.service.url}${path}`)
  })

  const get = (address = "", init: RequestInit = {}): Promise<Response> => fetch(address, init)

  it("is there for its provider, as what it is and nothing that runs or is kept", async () => {
    assert.equal(addresses.length, 2)
    for (const [index, [type, content]] of [
      ["image/png", picture],
      ["video/mp4", film],
    ].entries() as ArrayIterator<[number, [string, Buffer]]>) {
      const answer = await get(addresses[index])
      assert.equal(answer.status, 200)
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(content))
      const { headers } = answer
      assert.deepEqual(
        [
          "content-type",
          "content-length",
          "cache-control",
          "x-content-type-options",
          "content-security-policy",
          "referrer-policy",
          "set-cookie",
          "etag",
        ].map((name) => headers.get(name)),
        [
          type,
          String(content.length),
          "no-store",
          "nosniff",
          "sandbox; default-src 'none'",
          "no-referrer",
          null,
          null,
        ],
      )
    }
  })

  it("is there for many at once", async () => {
    const answers = Array.from({ length: 20 }, async () => {
      const answer = await get(addresses[0])
      return (await answer.arrayBuffer()).byteLength
    })
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([picture.length]))
  })

  it("is told of, in part or not at all, as whoever fetches it wants", async () => {
    const [address] = addresses
    const head = await get(address, { method: "HEAD" })
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, `${picture.length}`])
    assert.equal((await head.arrayBuffer()).byteLength, 0)
    const part = await get(address, { headers: { range: "bytes=10-19" } })
    assert.deepEqual(
      [part.status, part.headers.get("content-range")],
      [206, `bytes 10-19/${picture.length}`],
    )
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(picture.subarray(10, 20)))
    const beyond = await get(address, { headers: { range: `bytes=${picture.length}-` } })
    assert.equal(beyond.status, 416)
    await beyond.body?.cancel()
    for (const headers of [
      { range: "bytes=0-1,900000-900001" },
      { range: "bytes=0-1", "if-range": '"other"' },
    ]) {
      const whole = await get(address, { headers })
      assert.deepEqual(
        [whole.status, (await whole.arrayBuffer()).byteLength],
        [200, picture.length],
      )
    }
    const sent = await get(address, { method: "POST" })
    assert.equal(sent.status, 405)
    await sent.body?.cancel()
  })

  async function refuse(address: string): Promise<readonly [status: number, code: string]> {
    const answer = await get(address)
    const { error } = (await answer.json()) as { readonly error: { readonly code: string } }
    return [answer.status, error.code]
  }

  it("is nobody's who changes a character of its address", async () => {
    const [address = ""] = addresses
    const [version, id = "", position, expiry, mac = ""] = address
      .slice(address.lastIndexOf("/") + 1)
      .split(".")
    const start = address.slice(0, address.lastIndexOf("/") + 1)
    const other = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`
    const forged = [
      [version, id, 1, expiry, mac],
      [version, id, 9, expiry, mac],
      [version, other, position, expiry, mac],
      [version, id, position, Number(expiry) + 1, mac],
      [version, id, position, expiry, `${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`],
      [version, id, position, expiry, mac.slice(1)],
      [version, id, position, `0${expiry}`, mac],
      [version, id, position, expiry],
      ["i2", id, position, expiry, mac],
      [version, id, position, expiry, mac, "x".repeat(4_000)],
      ["%00"],
    ].map((parts) => `${start}${parts.join(".")}`)
    for (const each of forged) assert.deepEqual(await refuse(each), [404, "not_found"], each)
  })

  it("is nobody's at another deployment", async () => {
    const stranger = await createWorld("higgsfield")
    const [path = ""] = world.paths()
    assert.deepEqual(await refuse(`${stranger.service.url}${path}`), [404, "not_found"])
  })

  it("is in no log by its address", () => {
    for (const address of addresses) {
      const mac = address.slice(address.lastIndexOf(".") + 1)
      assert.equal(mac.length, 43)
      assert.equal(world.told().includes(mac), false)
    }
    assert.ok(world.told().includes("/v1/inputs/:token"), "the requests are logged")
  })

  it("is gone once its task's time is over", async () => {
    const [address = ""] = addresses
    world.skip(HOUR_MS)
    assert.deepEqual(await refuse(address), [410, "artifact_expired"])
    world.skip(-HOUR_MS)
    const answer = await get(address)
    assert.equal(answer.status, 200)
    await answer.body?.cancel()
  })

  it("is gone once it was erased", async () => {
    assert.equal(await world.service.engine.erase({ account: "sample", id: task.id }), true)
    for (const address of addresses)
      assert.deepEqual(await refuse(address), [410, "artifact_expired"])
  })
})

describe("a video at its caller's own address", () => {
  it("is fetched from here by its provider, as it was measured, until its request is erased", async () => {
    const film = await createFilm({ format: "mp4" })
    let looks = 0
    const server = createServer((_request, response) => {
      looks += 1
      // Whoever looks again is shown another one.
      response.end(looks === 1 ? film : "another")
    })
    places.defer(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/film.mp4`
    const media = { allowedAddresses: ["127.0.0.0/8"] }
    const { engine, paths, service, stub } = await createWorld(
      "higgsfield",
      { media },
      true,
      24 * HOUR_MS,
    )
    const parameters = { prompt: "fog", duration: 4, video_urls: [url] }
    const { id } = await submitTask(service, { account: "sample", model: MODEL, parameters })
    await until(() => stub.purchases.length === 1)
    assert.equal(JSON.stringify(stub.purchases).includes(url), false)
    const [path = ""] = paths()
    const address = `${service.url}${path}`
    const whole = await fetch(address)
    assert.deepEqual([whole.status, whole.headers.get("content-type")], [200, "video/mp4"])
    assert.ok(Buffer.from(await whole.arrayBuffer()).equals(film))
    const part = await fetch(address, { headers: { range: "bytes=10-19" } })
    assert.deepEqual(
      [part.status, part.headers.get("content-range")],
      [206, `bytes 10-19/${film.length}`],
    )
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(film.subarray(10, 20)))
    const beyond = await fetch(address, { headers: { range: `bytes=${film.length}-` } })
    assert.equal(beyond.status, 416)
    await beyond.body?.cancel()
    const head = await fetch(address, { method: "HEAD" })
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, `${film.length}`])
    assert.equal(looks, 1)
    assert.equal(await engine.erase({ account: "sample", id: id }), true)
    const gone = await fetch(address)
    assert.equal(gone.status, 410)
    await gone.body?.cancel()
  })
})

describe("a service without a public address", () => {
  it("sends nothing that only an address could tell", async () => {
    const { engine, stub } = await createWorld("higgsfield", {}, false)
    const image_urls = ["data:image/png;base64,AAAA"]
    const parameters = { prompt: "fog", image_urls }
    const sent = await engine.submit({ account: "sample", model: MODEL, parameters })
    assert.ok(sent.kind === "rejected")
    assert.match(JSON.stringify(sent.rejection), /image_urls/)
    assert.equal(stub.requests.length, 0)
  })
})

describe("a film that is edited at fal", () => {
  let film: Buffer
  let world: World
  let url = ""
  let fetched = 0
  const server = createServer((_request, response) => {
    fetched += 1
    response.end(film)
  })
  after(() => void server.close())
  before(async () => {
    film = await createFilm({ format: "mp4" })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/film.mp4?signature=secret`
    world = await createWorld("fal", { media: { allowedAddresses: ["127.0.0.0/8"] } })
  })

  it("is charged by its measured length, inputs in their order, the first as 4 s at least", async () => {
    const inline = toDataUrl("video/mp4", film)
    const task = await world.carryOut({ prompt: "fog", duration: 4, video_urls: [inline, url] })
    const { chargeMicros, state, usage } = task
    assert.equal(state, "succeeded.available", JSON.stringify(task))
    const { outputVideoMs = 0 } = usage ?? {}
    assert.deepEqual(usage, { images: 0, inputVideosMs: [2_500, 2_500], outputVideoMs })
    assert.ok(Math.abs(outputVideoMs - 4_000) < 100)
    assert.equal(chargeMicros, (outputVideoMs + 4_000 + 2_500) * 100)
    assert.deepEqual([world.stub.purchases.length, fetched], [1, 1])
    const bought = JSON.stringify(world.stub.purchases)
    assert.deepEqual([bought.includes(inline), bought.includes(url)], [true, false])
    assert.equal(world.paths().length, 1)
    assert.equal(world.told().includes("secret"), false)
  })

  it("fails where an input leads into a private network: nothing is fetched, sent or charged", async () => {
    const guarded = await createWorld("fal")
    const earlier = fetched
    const { chargeMicros, error, state } = await guarded.carryOut({
      prompt: "fog",
      video_urls: [url],
    })
    assert.deepEqual([state, error?.code, chargeMicros], ["failed", "media_download_failed", 0])
    assert.deepEqual([fetched - earlier, guarded.stub.requests.length], [0, 0])
    assert.equal(guarded.told().includes("secret"), false)
  })
})
