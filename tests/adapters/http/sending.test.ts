/** How bytes leave: back-pressure, clients that go away, reads that fail; on Node and elsewhere. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { outside, putArtifact, taskId } from "./fake-service.ts"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { createWorld, type WORLDS } from "./worlds.ts"

const MEBIBYTE = 1024 * 1024
const SIZE = 64 * MEBIBYTE
const CONTENT = Buffer.alloc(SIZE, "p")
const DAY_MS = 86_400_000
const PATH = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`

describe("sending on Node", () => {
  it("reads no further than a client that stops, and closes its reader when it leaves", async () => {
    await using world = await open("over a socket")
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
    }
    const client = download(world)
    await client.receive(/\r\n\r\n/)
    client.socket.pause()
    await untilStill(() => reads)
    assert.ok(reads * 512 * 1024 < SIZE / 2, `${reads} reads`)
    assert.equal(world.fake.openReaders(), 1)
    client.socket.destroy()
    await until(() => world.fake.openReaders() === 0)
    assert.deepEqual(world.logged, [])
  })

  it("closes the reader of a client that leaves while a read runs", async () => {
    await using world = await open("over a socket")
    let go: () => void = () => undefined
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
      return new Promise((resolve) => {
        go = resolve
      })
    }
    const client = download(world)
    await until(() => reads === 1)
    client.socket.destroy()
    await new Promise((resolve) => client.socket.once("close", resolve))
    // That nobody is there any more shows when something is written.
    delete world.fake.reader.beforeRead
    go()
    await until(() => world.fake.openReaders() === 0)
    assert.deepEqual(world.logged, [])
  })

  it("opens nothing for a download that waits behind another on its connection", async () => {
    await using world = await open("over a socket")
    const client = download(world)
    for (let count = 0; count < 100; count += 1) client.send(toRequest(world.key))
    client.socket.pause()
    await until(() => world.fake.openReaders() === 1)
    await untilStill(() => world.fake.opened.length)
    assert.equal(world.fake.opened.length, 1)
    client.socket.destroy()
    await until(() => world.fake.openReaders() === 0)
    assert.equal(world.fake.opened.length, 1)
    assert.deepEqual(world.logged, [])
  })

  it("has one reader open for as many ranges as it takes, and none when the client leaves", async () => {
    await using world = await open("over a socket")
    let most = 0
    world.fake.reader.beforeRead = () => {
      most = Math.max(most, world.fake.openReaders())
    }
    const ranges = Array.from(
      { length: 50 },
      (_, index) => `${index * MEBIBYTE}-${index * MEBIBYTE}`,
    )
    const whole = download(world, `Range: bytes=${ranges.join(",")}\r\nConnection: close\r\n`)
    const text = await whole.ended()
    assert.match(text, /^HTTP\/1\.1 206 [^]*multipart\/byteranges/)
    assert.equal(text.match(/\r\nContent-Range: /g)?.length, 50)
    assert.equal(world.fake.opened.length, 50)

    const large = ranges.map((_, index) => `${index * MEBIBYTE}-${(index + 1) * MEBIBYTE - 200}`)
    const leaving = Array.from({ length: 10 }, () =>
      download(world, `Range: bytes=${large.join(",")}\r\n`),
    )
    await Promise.all(leaving.map((client) => client.receive(/p{100}/)))
    for (const client of leaving) client.socket.destroy()
    await until(() => world.fake.openReaders() === 0)
    assert.ok(most <= leaving.length, `${most} readers`)
    assert.deepEqual(world.logged, [])
  })

  it("sends an artifact whole that expires meanwhile, in one piece or in parts", async () => {
    await using world = await open("over a socket")
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
      return reads === 2 ? world.clock.advance(2 * DAY_MS) : undefined
    }
    for (const [ranges, bytes] of [
      ["", SIZE],
      [`Range: bytes=0-${MEBIBYTE},${2 * MEBIBYTE}-${3 * MEBIBYTE}\r\n`, 2 * MEBIBYTE + 2],
    ] as const) {
      reads = 0
      putArtifact(world.fake, CONTENT, { expiresAt: world.clock.now() + DAY_MS })
      const client = download(world, `${ranges}Connection: close\r\n`)
      const text = await client.ended()
      assert.equal(countContent(text), bytes)
      assert.ok(reads > 2)
    }
    const late = download(world, "Connection: close\r\n")
    assert.match(await late.ended(), /^HTTP\/1\.1 410 /)
    assert.equal(world.fake.openReaders(), 0)
    assert.deepEqual(world.logged, [])
  })

  it("leaves many clients that come and go nothing open", async () => {
    await using world = await open("over a socket")
    for (let round = 0; round < 20; round += 1) {
      const clients = Array.from({ length: 5 }, () => download(world))
      await Promise.all(clients.slice(0, 3).map((client) => client.receive(/\r\n\r\n/)))
      for (const client of clients) client.socket.destroy()
    }
    await until(() => world.fake.openReaders() === 0)
    assert.deepEqual(world.logged, [])
  })

  for (const [name, failing] of [
    [
      "fails",
      () => {
        throw outside("artifacts-unavailable")
      },
    ],
    ["ends too early", undefined],
  ] as const) {
    it(`destroys the socket where a read ${name}, and logs it`, async () => {
      await using world = await open("over a socket")
      let reads = 0
      world.fake.reader.beforeRead = () => {
        reads += 1
        if (reads < 3) return
        failing?.()
        world.fake.reader.maxReadBytes = 0
      }
      const client = download(world)
      const text = await client.ended()
      assert.match(text, /^HTTP\/1\.1 200 [^]*content-length: 67108864\r\n/)
      assert.ok(text.length < SIZE)
      await until(() => world.logged.length > 0)
      assert.equal(world.logged[0]?.message, "transfer failed")
      assert.equal(world.logged[0]?.fields["task"], taskId(1))
      assert.equal(world.fake.openReaders(), 0)
    })
  }
})

describe("sending in process", () => {
  it("reads only as far as it is asked, and closes the reader of a cancelled stream", async () => {
    await using world = await open("in process")
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
    }
    const response = await world.call(PATH)
    assert.equal(reads, 0)
    const reader = response.body?.getReader()
    await reader?.read()
    assert.equal(reads, 1)
    await reader?.cancel()
    assert.equal(world.fake.openReaders(), 0)
    assert.deepEqual(world.logged, [])
  })

  it("waits for the read that runs before it closes the reader", async () => {
    await using world = await open("in process")
    let go: () => void = () => undefined
    world.fake.reader.beforeRead = () =>
      new Promise((resolve) => {
        go = resolve
      })
    const response = await world.call(PATH)
    const reader = response.body?.getReader()
    const reading = reader?.read()
    const cancelled = reader?.cancel()
    assert.equal(world.fake.openReaders(), 1)
    go()
    await Promise.all([reading, cancelled])
    assert.equal(world.fake.openReaders(), 0)
    assert.deepEqual(world.logged, [])
  })

  it("breaks the stream where a read fails, and logs it", async () => {
    await using world = await open("in process")
    world.fake.reader.beforeRead = () => {
      throw outside("artifacts-unavailable")
    }
    const response = await world.call(PATH)
    await assert.rejects(response.arrayBuffer(), { code: "artifacts-unavailable" })
    assert.equal(world.fake.openReaders(), 0)
    assert.deepEqual(
      world.logged.map(({ fields }) => fields["task"]),
      [taskId(1)],
    )
  })
})

async function open(kind: (typeof WORLDS)[number]) {
  const world = await createWorld(kind)
  putArtifact(world.fake, CONTENT)
  return { ...world, [Symbol.asyncDispose]: world.close }
}

/** `lines` are further headers, each with its line's end. */
function toRequest(key: string, lines = ""): string {
  return `GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${lines}\r\n`
}

function download({ server, key }: Awaited<ReturnType<typeof open>>, lines?: string) {
  const client = createRawClient(server?.url ?? "")
  client.send(toRequest(key, lines))
  return client
}

/** Bytes of the artifact in an answer: no other line begins like its content. */
function countContent(text: string): number {
  const lines = text.split("\r\n").filter((line) => line.startsWith("pppp"))
  return lines.reduce((sum, { length }) => sum + length, 0)
}

/** Resolves once a count has stood still for a thousand turns of the event loop. */
async function untilStill(count: () => number): Promise<void> {
  let before = -1
  for (let turns = 0; turns < 1_000; turns += 1) {
    if (count() !== before) turns = 0
    before = count()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
