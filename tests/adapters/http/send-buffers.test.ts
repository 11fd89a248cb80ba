/**
 * How much memory a download takes: large buffers for a client that keeps up, and never for more
 * than so many at once; a small one for whoever is behind. Node's pair is a fake here, whose system
 * takes a write when the test says so.
 */
import assert from "node:assert/strict"
import { EventEmitter } from "node:events"
import { afterEach, beforeEach, describe, it, mock } from "node:test"
import { createServerPort, type NodePair } from "@safelight/http"
import { until } from "../../support/until.ts"
import { putArtifact, taskId } from "./fake-service.ts"
import { createWorld } from "./worlds.ts"

const MEBIBYTE = 1024 * 1024
const SIZE = 24 * MEBIBYTE
const SMALL = 64 * 1024
const LARGE = 512 * 1024
const MOST_LARGE = 32
/** More than a client may wait that keeps up. */
const LONG_MS = 1_000
const PATH = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`

describe("the buffers of a download", () => {
  beforeEach(() => void mock.method(performance, "now", () => nowMs))
  afterEach(() => mock.restoreAll())

  it("are large for a client that keeps up, from its first byte to its last", async () => {
    const client = createClient()
    await (await open()).download(client)
    assert.deepEqual(new Set(client.sizes), new Set([LARGE]))
    assert.equal(sum(client.sizes), SIZE)
  })

  it("are small for a client that is behind, as soon as that is known", async () => {
    const client = createClient()
    client.waitMs = () => LONG_MS
    await (await open()).download(client)
    assert.deepEqual(toRuns(client.sizes), [
      [LARGE, 2],
      [SMALL, (SIZE - 2 * LARGE) / SMALL],
    ])
  })

  it("stay small for a client that catches up and falls behind again", async () => {
    const client = createClient()
    client.waitMs = () => (sum(client.sizes) % (3 * MEBIBYTE) === LARGE ? LONG_MS : 0)
    await (await open()).download(client)
    assert.deepEqual(
      toRuns(client.sizes).map(([size]) => size),
      [LARGE, SMALL],
    )
  })

  it("grow again for a client that has kept up for 4 MiB", async () => {
    const client = createClient()
    client.waitMs = () => (client.sizes.length === 3 ? LONG_MS : 0)
    await (await open()).download(client)
    assert.deepEqual(toRuns(client.sizes), [
      [LARGE, 4],
      [SMALL, (4 * MEBIBYTE) / SMALL],
      [LARGE, (SIZE - 6 * MEBIBYTE) / LARGE],
    ])
  })

  it("hold nothing more than what a client that is behind still has to take", async () => {
    const client = createClient()
    const world = await open()
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
    }
    client.waitMs = () => LONG_MS
    client.isStopped = () => client.sizes.length === 5
    const done = world.download(client)
    await until(() => client.isWaiting())
    await turns(100)
    assert.deepEqual(toRuns(client.sizes), [
      [LARGE, 2],
      [SMALL, 3],
    ])
    assert.equal(reads, 5)
    client.leave()
    await done
    assert.equal(world.fake.openReaders(), 0)
    assert.deepEqual(world.logged, [])
  })

  it("are large for so many downloads at once, and for the next when one has ended", async () => {
    const world = await open()
    const clients = Array.from({ length: MOST_LARGE + 8 }, () => createClient())
    for (const client of clients) client.isStopped = () => client.sizes.at(-1) === LARGE
    const downloads = clients.map((client) => world.download(client))
    await until(() => clients.every((each) => each.isWaiting() || sum(each.sizes) === SIZE))
    const stopped = clients.filter((client) => client.isWaiting())
    assert.equal(stopped.length, MOST_LARGE)

    const late = createClient()
    await world.download(late)
    assert.equal(Math.max(...late.sizes), SMALL)

    for (const client of stopped) client.leave()
    await Promise.all(downloads)
    const next = createClient()
    await world.download(next)
    assert.equal(Math.max(...next.sizes), LARGE)
    assert.equal(world.fake.openReaders(), 0)
  })

  it("are given back where a read fails", async () => {
    const world = await open()
    for (let count = 0; count < MOST_LARGE; count += 1) {
      const client = createClient()
      world.fake.reader.beforeRead = () => {
        if (client.sizes.includes(LARGE)) throw new Error("a bad disk")
      }
      await world.download(client)
    }
    delete world.fake.reader.beforeRead
    const client = createClient()
    await world.download(client)
    assert.equal(Math.max(...client.sizes), LARGE)
  })
})

interface FakeClient {
  /** The size of each write so far. */
  readonly sizes: number[]
  /** How long the system takes for the newest write. */
  waitMs: () => number
  /** Whether the system takes the newest write only when the client has left. */
  isStopped: () => boolean
  isWaiting(): boolean
  leave(): void
  readonly node: NodePair
}

const SERVER = createServerPort({
  threads: { read: () => Promise.reject(new Error("no body is read")) },
})

let nowMs = 0

function createClient(): FakeClient {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: leave })
  let isWaiting = false

  function leave(): void {
    socket.destroyed = true
    socket.emit("close")
  }
  const outgoing = {
    writeHead: () => undefined,
    end: () => undefined,
    write(bytes: Uint8Array, written: () => void) {
      client.sizes.push(bytes.length)
      isWaiting = client.isStopped()
      if (isWaiting) return
      const waitMs = client.waitMs()
      setImmediate(() => {
        nowMs += waitMs
        written()
      })
    },
  }
  const client: FakeClient = {
    sizes: [],
    waitMs: () => 0,
    isStopped: () => false,
    isWaiting: () => isWaiting,
    leave,
    node: { incoming: { socket, rawHeaders: [] }, outgoing } as unknown as NodePair,
  }
  return client
}

async function open() {
  const world = await createWorld("in process")
  putArtifact(world.fake, Buffer.alloc(SIZE, "p"))
  const headers = { authorization: `Bearer ${world.key}` }
  return {
    ...world,
    download: async ({ node }: FakeClient) =>
      world.handler.fetch(new Request(`http://a${PATH}`, { headers }), { node, server: SERVER }),
  }
}

/** Each size with how many writes of it followed one another. */
function toRuns(sizes: readonly number[]): (readonly [size: number, count: number])[] {
  const starts = sizes.flatMap((size, at) => (size === sizes[at - 1] ? [] : [at]))
  return starts.map((at, run) => [sizes[at] ?? 0, (starts[run + 1] ?? sizes.length) - at])
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
