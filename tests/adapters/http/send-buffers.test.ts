/**
 * How much memory a download takes: a large buffer for the first few at once, a small one for each beyond.
 * Node's pair is a fake here, whose system takes a write when the test says so.
 */
import assert from "node:assert/strict"
import { EventEmitter } from "node:events"
import { describe, it } from "node:test"
import { createServerPort, type NodePair } from "@safelight/http"
import { until } from "../../support/until.ts"
import { putArtifact, taskId } from "./fake-service.ts"
import { createWorld } from "./worlds.ts"

const MEBIBYTE = 1024 * 1024
const SIZE = 24 * MEBIBYTE
const SMALL = 64 * 1024
const LARGE = MEBIBYTE
const MOST_LARGE = 32
const PATH = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`

describe("the buffer of a download", () => {
  it("is one, filled and sent in turn from the first byte to the last", async () => {
    const client = createClient()
    const world = await open()
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
    }
    client.isStopped = () => client.sizes.length === 5
    const done = world.download(client)
    await until(() => client.isWaiting())
    await turns(100)
    assert.deepEqual(toRuns(client.sizes), [[LARGE, 5]])
    assert.equal(reads, 5, "nothing is read that the client can't take yet")
    client.goOn()
    await done
    assert.deepEqual(toRuns(client.sizes), [[LARGE, SIZE / LARGE]])
  })

  it("is given back where the client leaves", async () => {
    const client = createClient()
    const world = await open()
    client.isStopped = () => client.sizes.length === 5
    const done = world.download(client)
    await until(() => client.isWaiting())
    client.leave()
    await done
    assert.equal(world.fake.openReaders(), 0)
    assert.deepEqual(world.logged, [])
  })

  it("is large for so many downloads at once, and for the next when one has ended", async () => {
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

  it("is given back where a read fails", async () => {
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
  /** Whether the system takes the newest write only when the client goes on or has left. */
  isStopped: () => boolean
  isWaiting(): boolean
  goOn(): void
  leave(): void
  readonly node: NodePair
}

const SERVER = createServerPort({
  threads: { read: () => Promise.reject(new Error("no body is read")) },
})

function createClient(): FakeClient {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: leave })
  let isWaiting = false
  let goOn: (() => void) | undefined

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
      if (isWaiting) goOn = written
      else setImmediate(written)
    },
  }
  const client: FakeClient = {
    sizes: [],
    isStopped: () => false,
    isWaiting: () => isWaiting,
    goOn: () => goOn?.(),
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
