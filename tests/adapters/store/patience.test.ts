/** How long changes wait for a database: which of them, and from when on. The clock is by hand. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { isSafelightError } from "@safelight/core"
import {
  createServerLane,
  createWriter,
  SERVER_PATIENCE,
  type Connection,
  type Writer,
} from "@safelight/store"
import {
  createFakeConnection,
  databaseError,
  reject,
  until,
  type FakeConnection,
} from "./fake-connection.ts"

const { answerMs, connectPatienceMs, patienceMs } = SERVER_PATIENCE

/** Monotonic time that stands still but for what `pass` adds. */
function holdClock(context: TestContext): { now(): number; pass(durationMs: number): void } {
  let nowMs = 1_000
  context.mock.method(performance, "now", () => nowMs)
  return { now: () => nowMs, pass: (durationMs) => void (nowMs += durationMs) }
}

/** Over lanes that commit by one question for a whole batch. */
function openWriter(open: () => Promise<Connection>, lanes = 2): Writer<string, "stored"> {
  const openLane = () =>
    createServerLane({
      open,
      async commit(connection, batch: readonly string[]) {
        await connection.execute("commit")
        return batch.map(() => "stored" as const)
      },
      prove: async () => undefined,
    })
  return createWriter({
    lanes: Array.from({ length: lanes }, openLane),
    patience: SERVER_PATIENCE,
    toKey: (work) => work,
  })
}

const toAsked = (work: string) => ({ work, isAsked: true, bytes: 0 })
const toFact = (work: string) => ({ work, isAsked: false, bytes: 0 })

const refuse = () => reject("unopened")

function isUnavailable(error: unknown): true {
  assert.ok(isSafelightError(error))
  const { code, isUndone, retryable } = error
  assert.deepEqual([code, retryable, isUndone], ["storage-unavailable", true, true])
  return true
}

/** The moments at which writes of new tasks are refused, from `first` on. */
async function noteRefusals(
  writer: Writer<string, "stored">,
  { count, name, now }: { count: number; name: string; now(): number },
): Promise<readonly number[]> {
  const first = now()
  const writes = Array.from({ length: count }, async (_, index) => {
    await assert.rejects(writer.write(toAsked(`${name}-${index}`)), isUnavailable)
    return now() - first
  })
  return Promise.all(writes)
}

describe("new tasks behind a database that is gone", () => {
  const ways: { what: string; open: (pass: () => void) => Promise<Connection> }[] = [
    {
      what: "can't be reached",
      async open(pass) {
        pass()
        return refuse()
      },
    },
    {
      what: "refuses work",
      open: async (pass) =>
        createFakeConnection({
          async execute() {
            pass()
            return reject("refused")
          },
        }),
    },
  ]
  for (const { what, open } of ways) {
    it(`wait no longer the more they are, where it ${what}`, async (t) => {
      const clock = holdClock(t)
      const writer = openWriter(() => open(() => clock.pass(500)))
      const waitedMs = await noteRefusals(writer, { count: 4_000, name: "task", now: clock.now })
      assert.ok(Math.min(...waitedMs) >= connectPatienceMs)
      assert.ok(Math.max(...waitedMs) < 2 * connectPatienceMs, `${Math.max(...waitedMs)} ms`)
      await writer.drain()
    })
  }

  it("have their own patience, whenever they came", async (t) => {
    const clock = holdClock(t)
    let tries = 0
    const writer = openWriter(async () => {
      tries += 1
      clock.pass(1_000)
      return refuse()
    }, 1)
    const early = noteRefusals(writer, { count: 20, name: "early", now: clock.now })
    await until(() => tries >= 2)
    const late = noteRefusals(writer, { count: 20, name: "late", now: clock.now })
    for (const waitedMs of [await early, await late].flat()) {
      assert.ok(waitedMs >= connectPatienceMs, `${waitedMs} ms`)
      assert.ok(waitedMs < connectPatienceMs + 1_500, `${waitedMs} ms`)
    }
    await writer.drain()
  })

  it("are tried all the same where they waited for a slow one before", async (t) => {
    const clock = holdClock(t)
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const slow = createFakeConnection({
      execute() {
        asked.resolve()
        return answered.promise
      },
    })
    const answers = [() => slow, refuse, createFakeConnection]
    const writer = openWriter(async () => (answers.shift() ?? assert.fail())(), 1)
    const stored = [writer.write(toAsked("first"))]
    await asked.promise
    stored.push(writer.write(toAsked("second")))
    clock.pass(2 * connectPatienceMs)
    slow.destroy()
    answered.resolve()
    assert.deepEqual(await Promise.all(stored), ["stored", "stored"])
    assert.equal(answers.length, 0)
  })
})

describe("what already happened, behind a database that is gone", () => {
  it("is tried from when its batch is taken up, and stored where the database is back by then", async (t) => {
    const clock = holdClock(t)
    let isBack = false
    const writer = openWriter(async () => {
      clock.pass(1_000)
      return isBack ? createFakeConnection() : refuse()
    }, 1)
    const refused = noteRefusals(writer, { count: 2_000, name: "task", now: clock.now })
    const stored = writer.write(toFact("happened"))
    await refused
    isBack = true
    assert.equal(await stored, "stored")
  })

  it("is refused, retryably, after the patience that its batch has", async (t) => {
    const clock = holdClock(t)
    const writer = openWriter(async () => {
      clock.pass(1_000)
      return refuse()
    }, 1)
    const refused = noteRefusals(writer, { count: 2_000, name: "task", now: clock.now })
    const rejected = assert.rejects(writer.write(toFact("happened")), isUnavailable)
    await refused
    const takenUpAt = clock.now()
    await rejected
    assert.ok(clock.now() - takenUpAt >= connectPatienceMs - 1_000)
    assert.ok(clock.now() - takenUpAt < connectPatienceMs + 1_000)
  })
})

describe("a batch whose outcome is unknown, and whose row its lost session holds", () => {
  for (const change of [toAsked("task"), toFact("task")]) {
    const what = change.isAsked ? "a new task" : "what already happened"
    it(`is tried for as long as there is patience, and no longer (${what})`, async (t) => {
      const clock = holdClock(t)
      let tries = 0
      const first = clock.now()
      const writer = openWriter(
        async () =>
          createFakeConnection({
            async execute() {
              tries += 1
              if (tries === 1) throw databaseError("lost")
              clock.pass(patienceMs / 6)
              if (clock.now() - first < 2 * patienceMs) throw databaseError("held")
            },
          }),
        1,
      )
      await assert.rejects(writer.write(change), {
        code: "storage-unavailable",
        retryable: true,
        isUndone: false,
      })
      assert.ok(clock.now() - first >= patienceMs, `${clock.now() - first} ms`)
      assert.ok(clock.now() - first < 2 * patienceMs, `${clock.now() - first} ms`)
      await writer.drain()
    })
  }
})

describe("a check beside a commit", () => {
  for (const [fault, isReady] of [
    ["held", true],
    ["refused", false],
  ] as const) {
    it(`${isReady ? "passes" : "fails"} where that ends as ${fault}`, async (t) => {
      const asked = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      const connection = createFakeConnection({
        async execute() {
          asked.resolve()
          await answered.promise
          return reject(fault)
        },
      })
      const writer = openWriter(async () => connection, 1)
      const refused = assert.rejects(writer.write(toFact("task")), { code: "storage-unavailable" })
      await asked.promise
      const checked = writer.prove()
      if (!isReady) {
        const now = performance.now()
        t.mock.method(performance, "now", () => now + 60_000)
      }
      answered.resolve()
      if (isReady) await checked
      else await assert.rejects(checked, { code: "storage-unavailable", message: /refused/ })
      await refused
    })
  }
})

describe("a network that is silent", () => {
  it("keeps nobody waiting for a new task's answer for longer than its time", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] })
    const connections: FakeConnection[] = []
    const writer = openWriter(async () => {
      const connection = createFakeConnection({ execute: () => new Promise(() => {}) })
      connections.push(connection)
      return connection
    }, 1)
    const unknown = assert.rejects(writer.write(toAsked("sent")), {
      code: "storage-unavailable",
      retryable: true,
      isUndone: false,
    })
    while (connections.length === 0) await new Promise(setImmediate)
    const undone = assert.rejects(writer.write(toAsked("waiting")), isUnavailable)
    let isSettled = false
    writer.write(toFact("fact")).then(
      () => (isSettled = true),
      () => (isSettled = true),
    )
    t.mock.timers.tick(answerMs - 1)
    await new Promise(setImmediate)
    t.mock.timers.tick(1)
    await Promise.all([unknown, undone])
    // What happened waits on: it must be written down.
    assert.equal(isSettled, false)
  })
})
