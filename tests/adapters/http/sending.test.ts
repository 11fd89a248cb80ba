/** How bytes leave: back-pressure, clients that go away, reads that fail; on Node and elsewhere. */
import assert from "node:assert/strict"
import { EventEmitter } from "node:events"
import { describe, it } from "node:test"
import type { NodePair } from "@safelight/http"
import { outside, putArtifact, taskId } from "./fake-service.ts"
import { createRawClient, eventually } from "../../support/raw-client.ts"
import { createWorld, type WORLDS } from "./worlds.ts"

const SIZE = 64 * 1024 * 1024
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
    assert.ok(reads * 64 * 1024 < SIZE / 2, `${reads} reads`)
    assert.equal(world.fake.openReaders(), 1)
    client.socket.destroy()
    await eventually(() => world.fake.openReaders() === 0)
    assert.deepEqual(world.logged, [])
  })

  for (const [name, waitingBytes, largest] of [
    ["large ones to a client that keeps up", 0, 512 * 1024],
    ["small ones to a client that is behind", 1, 64 * 1024],
  ] as const) {
    it(`starts with small buffers and gives ${name}`, async () => {
      await using world = await open("in process")
      const sizes: number[] = []
      const headers = { authorization: `Bearer ${world.key}` }
      const node = createFakePair(waitingBytes, (bytes) => sizes.push(bytes))
      await world.handler.fetch(new Request(`http://a${PATH}`, { headers }), { node })
      assert.equal(sizes[0], 64 * 1024)
      assert.equal(Math.max(...sizes), largest)
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        SIZE,
      )
    })
  }

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
    await eventually(() => reads === 1)
    client.socket.destroy()
    await new Promise((resolve) => client.socket.once("close", resolve))
    go()
    await eventually(() => reads > 1 || world.fake.openReaders() === 0)
    go()
    await eventually(() => world.fake.openReaders() === 0)
    assert.deepEqual(world.logged, [])
  })

  it("closes the reader of a download that waits behind another on its connection", async () => {
    await using world = await open("over a socket")
    const client = download(world)
    client.send(toRequest(world.key))
    client.socket.pause()
    await eventually(() => world.fake.openReaders() === 2)
    client.socket.destroy()
    await eventually(() => world.fake.openReaders() === 0)
  })

  it("leaves many clients that come and go nothing open", async () => {
    await using world = await open("over a socket")
    for (let round = 0; round < 20; round += 1) {
      const clients = Array.from({ length: 5 }, () => download(world))
      // oxlint-disable-next-line no-await-in-loop
      await Promise.all(clients.slice(0, 3).map((client) => client.receive(/\r\n\r\n/)))
      for (const client of clients) client.socket.destroy()
    }
    await eventually(() => world.fake.openReaders() === 0)
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
      await eventually(() => world.logged.length > 0)
      assert.equal(world.logged[0]?.message, "an artifact broke off while it was sent")
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
    assert.equal(world.logged.length, 1)
  })
})

async function open(kind: (typeof WORLDS)[number]) {
  const world = await createWorld(kind)
  putArtifact(world.fake, Buffer.alloc(SIZE, "p"))
  return { ...world, [Symbol.asyncDispose]: world.close }
}

function toRequest(key: string): string {
  return `GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`
}

function download({ server, key }: Awaited<ReturnType<typeof open>>) {
  const client = createRawClient(server?.url ?? "")
  client.send(toRequest(key))
  return client
}

/** Node's pair with a socket that always has `waitingBytes` left to hand on. */
function createFakePair(waitingBytes: number, onWrite: (bytes: number) => void): NodePair {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableLength: waitingBytes,
    destroy: () => undefined,
  })
  const outgoing = {
    writeHead: () => undefined,
    end: () => undefined,
    write: (bytes: Uint8Array, written: () => void) => {
      onWrite(bytes.length)
      setImmediate(written)
    },
  }
  return { incoming: { socket, headersDistinct: {} }, outgoing } as unknown as NodePair
}

/** Resolves once a count has stood still for a thousand turns of the event loop. */
async function untilStill(count: () => number): Promise<void> {
  let before = -1
  for (let turns = 0; turns < 1_000; turns += 1) {
    if (count() !== before) turns = 0
    before = count()
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setImmediate(resolve))
  }
}
