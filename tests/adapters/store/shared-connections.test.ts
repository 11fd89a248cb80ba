/** When a shared connection is left for another, and what becomes of those who still use it. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import {
  createServerLane,
  createSharedConnections,
  createTransactions,
  SERVER_PATIENCE,
  type SharedConnections,
} from "@safelight/store"
import { createFakeConnection, reject, type FakeConnection } from "./fake-connection.ts"

const { connectPatienceMs, retryMaxMs } = SERVER_PATIENCE
const COUNT = 3

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
  }, COUNT)
  return { shared, connections, pass: (durationMs) => void (nowMs += durationMs) }
}

function write({ shared }: Opened): Promise<void> {
  return assert.rejects(
    shared.ask(() => reject("read-only"), 1),
    { code: "storage-unavailable", retryable: true },
  )
}

describe("a server that stays read-only", () => {
  it("is not asked for connection after connection", async (t) => {
    const opened = open(t)
    for (let count = 0; count < 100; count += 1) await write(opened)
    assert.equal(opened.connections.length, COUNT)
    opened.pass(retryMaxMs)
    for (let count = 0; count < 100; count += 1) await write(opened)
    assert.equal(opened.connections.length, 2 * COUNT)
    const left = opened.connections.filter((connection) => !connection.isDestroyed())
    assert.equal(left.length, COUNT)
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
    for (let count = 0; count <= COUNT; count += 1) await write(opened)
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
    for (let count = 0; count <= COUNT; count += 1) await write(opened)
    shared.close()
    await new Promise(setImmediate)
    assert.ok(connections.every((connection) => connection.isDestroyed()))
  })
})

describe("a read whose connection is lost", () => {
  it("is asked again where that was soon, and not where it waited for long", async (t) => {
    for (const [tookMs, mostTries] of [
      [connectPatienceMs - 1, 2],
      [connectPatienceMs, 1],
    ] as const) {
      const { pass, shared } = open(t)
      let tries = 0
      const reading = shared.ask(async () => {
        tries += 1
        pass(tookMs)
        return reject("lost")
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
      if (connections.length > 0) return reject("unopened")
      const connection = createFakeConnection()
      connections.push(connection)
      return connection
    }, COUNT)
    for (let count = 0; count < 20; count += 1) {
      assert.equal(await shared.ask(async () => count, 1), count)
    }
    shared.close()
  })
})

describe("a lane whose session has lost what it prepared", () => {
  it("commits over another session then", async () => {
    const opened: FakeConnection[] = []
    const lane = createServerLane({
      async open() {
        const connection = createFakeConnection()
        opened.push(connection)
        return connection
      },
      commit: async (connection) => (connection === opened[0] ? reject("outdated") : []),
      prove: async () => undefined,
    })
    const how = { judgesEach: false, isUnknown: false, lockTimeouts: 0 }
    await assert.rejects(lane.commit([], how), { fault: "outdated" })
    assert.deepEqual(await lane.commit([], how), [])
    assert.equal(opened.length, 2)
  })
})

describe("a connection that ended while it was idle", () => {
  /** Opens connections of which the first so many do not answer before they are asked. */
  function openEnded(count: number): {
    readonly openOne: () => Promise<FakeConnection>
    readonly opened: FakeConnection[]
  } {
    const opened: FakeConnection[] = []
    const openOne = async (): Promise<FakeConnection> => {
      const isGone = opened.length < count
      const connection = createFakeConnection(isGone ? { confirm: () => reject("lost") } : {})
      opened.push(connection)
      return connection
    }
    return { openOne, opened }
  }

  it("is left for the next before a write is sent, as often as there are some", async () => {
    const { openOne, opened } = openEnded(COUNT)
    const shared = createSharedConnections(openOne, COUNT)
    const asked: unknown[] = []
    const answer = await shared.ask(async (connection) => {
      asked.push(connection)
      return "written"
    }, 1)
    assert.equal(answer, "written")
    assert.deepEqual(asked, [opened[COUNT]])
    assert.ok(opened.slice(0, COUNT).every((connection) => connection.isDestroyed()))
    shared.close()
  })

  it("does not make a write be sent again that was lost", async () => {
    const { openOne } = openEnded(1)
    const shared = createSharedConnections(openOne, COUNT)
    let asked = 0
    const written = shared.ask(async () => {
      asked += 1
      return reject("lost")
    }, 1)
    await assert.rejects(written, { code: "storage-unavailable" })
    assert.equal(asked, 1)
    shared.close()
  })

  it("is left by a lane, and by a transaction, before anything is sent", async () => {
    const ofLane = openEnded(0)
    let isGone = false
    const confirm = async (): Promise<void> => (isGone ? reject("lost") : undefined)
    const first = createFakeConnection({ confirm })
    const committed: unknown[] = []
    const lane = createServerLane({
      open: async () => (committed.length === 0 ? first : ofLane.openOne()),
      async commit(connection) {
        committed.push(connection)
        return []
      },
      prove: async () => undefined,
    })
    const how = { judgesEach: false, isUnknown: false, lockTimeouts: 0 }
    await lane.commit([], how)
    isGone = true
    await lane.commit([], how)
    assert.deepEqual(committed, [first, ofLane.opened[0]])

    isGone = false
    const begun: string[] = []
    const names = ["one", "two"]
    const transactions = createTransactions(
      async () => {
        const name = names.shift() ?? assert.fail()
        const execute = async (sql: string): Promise<void> => void begun.push(`${name} ${sql}`)
        return createFakeConnection({ confirm, execute })
      },
      { most: 1 },
    )
    await transactions.transact("begin", async () => undefined)
    isGone = true
    await transactions.transact("begin", async () => undefined)
    assert.deepEqual(begun, ["one begin", "one commit", "two begin", "two commit"])
    transactions.close()
  })
})
