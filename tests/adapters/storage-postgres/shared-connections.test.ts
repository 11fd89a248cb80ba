/** When a shared connection is left for another, and what becomes of those who still use it. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { DEFAULTS } from "../../../adapters/storage-postgres/src/defaults.ts"
import {
  createSharedConnections,
  type SharedConnections,
} from "../../../adapters/storage-postgres/src/shared-connections.ts"
import { createFakeConnection, serverError, type FakeConnection } from "./fake-connection.ts"

const { connectTimeoutMs, readConnections, retryMaxMs } = DEFAULTS

const READ_ONLY = "25006"

interface Opened {
  readonly shared: SharedConnections
  /** Every connection that was opened, in order. */
  readonly connections: readonly FakeConnection[]
  pass(durationMs: number): void
}

function open(context: TestContext): Opened {
  let nowMs = 1_000
  context.mock.method(performance, "now", () => nowMs)
  const connections: FakeConnection[] = []
  const shared = createSharedConnections(async () => {
    const connection = createFakeConnection()
    connections.push(connection)
    return connection
  }, readConnections)
  return { shared, connections, pass: (durationMs) => void (nowMs += durationMs) }
}

/** As a server answers that can't write. */
async function refuse(): Promise<never> {
  throw serverError(READ_ONLY)
}

function write({ shared }: Opened): Promise<void> {
  return assert.rejects(shared.ask(refuse, 1), { code: "storage-unavailable", retryable: true })
}

describe("a server that stays read-only", () => {
  it("is not asked for connection after connection", async (t) => {
    const opened = open(t)
    for (let count = 0; count < 100; count += 1) await write(opened)
    assert.equal(opened.connections.length, readConnections)
    opened.pass(retryMaxMs)
    for (let count = 0; count < 100; count += 1) await write(opened)
    assert.equal(opened.connections.length, 2 * readConnections)
    const left = opened.connections.filter((connection) => !connection.isDestroyed())
    assert.equal(left.length, readConnections)
    opened.shared.close()
  })
})

describe("a connection that is left", () => {
  it("answers who still waits for it, and ends then", async (t) => {
    const opened = open(t)
    const { connections, shared } = opened
    const answered = Promise.withResolvers<string>()
    const reading = shared.ask(() => answered.promise, 2)
    opened.pass(retryMaxMs)
    for (let count = 0; count <= readConnections; count += 1) await write(opened)
    const [left] = connections
    assert.ok(left)
    assert.equal(left.isDestroyed(), false)
    answered.resolve("read")
    assert.equal(await reading, "read")
    assert.equal(left.isDestroyed(), true)
    shared.close()
  })

  it("ends with the storage where somebody still waits for it", async (t) => {
    const opened = open(t)
    const { connections, shared } = opened
    void shared.ask(() => new Promise(() => {}), 2)
    opened.pass(retryMaxMs)
    for (let count = 0; count <= readConnections; count += 1) await write(opened)
    shared.close()
    await new Promise(setImmediate)
    assert.ok(connections.every((connection) => connection.isDestroyed()))
  })
})

describe("a read whose connection is lost", () => {
  it("is asked again where that was soon, and not where it waited for long", async (t) => {
    for (const [tookMs, mostTries] of [
      [connectTimeoutMs - 1, 2],
      [connectTimeoutMs, 1],
    ] as const) {
      const { pass, shared } = open(t)
      let tries = 0
      const reading = shared.ask(async () => {
        tries += 1
        pass(tookMs)
        throw new Error("Query read timeout")
      }, 2)
      await assert.rejects(reading, { code: "storage-unavailable", retryable: true })
      assert.equal(tries, mostTries)
      shared.close()
      t.mock.reset()
    }
  })
})

describe("a server that has no more connections", () => {
  it("is asked over those that there are, also for what is not repeated", async (t) => {
    const { mock } = t
    mock.method(performance, "now", () => 1_000)
    const connections: FakeConnection[] = []
    const shared = createSharedConnections(async () => {
      if (connections.length > 0) throw serverError("53300")
      const connection = createFakeConnection()
      connections.push(connection)
      return connection
    }, readConnections)
    for (let count = 0; count < 20; count += 1) {
      assert.equal(await shared.ask(async () => count, 1), count)
    }
    shared.close()
  })
})
