/** How long changes wait for a database: which of them, and from when on. The clock is by hand. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { isSafelightError } from "@safelight/core"
import type { Connection } from "../../../adapters/storage-postgres/src/connection.ts"
import { DEFAULTS } from "../../../adapters/storage-postgres/src/defaults.ts"
import { createLane } from "../../../adapters/storage-postgres/src/lane.ts"
import { createOutage } from "../../../adapters/storage-postgres/src/outage.ts"
import { createWriter, type Writer } from "../../../adapters/storage-postgres/src/writer.ts"
import { createFakeConnection, serverError, type FakeConnection } from "./fake-connection.ts"
import { toTasks } from "./open.ts"
import { until } from "../../support/until.ts"

const { connectPatienceMs, patienceMs } = DEFAULTS

/** Monotonic time that stands still but for what `pass` adds. */
function holdClock(context: TestContext): { now(): number; pass(durationMs: number): void } {
  let nowMs = 1_000
  context.mock.method(performance, "now", () => nowMs)
  return { now: () => nowMs, pass: (durationMs) => void (nowMs += durationMs) }
}

function openWriter(open: () => Promise<Connection>, lanes = 2): Writer {
  const outage = createOutage()
  return createWriter({
    lanes: Array.from({ length: lanes }, () => createLane({ open, outage, onJudged() {} })),
    outage,
    onCommit() {},
    onQueued() {},
  })
}

const ADMISSION = { isJudged: true, use: undefined, bytes: 0 } as const
const FACT = { isJudged: false, use: undefined, bytes: 0 } as const

function refuse(): never {
  throw new Error("connect ECONNREFUSED")
}

function isUnavailable(error: unknown): true {
  assert.ok(isSafelightError(error))
  const { code, isUndone, retryable } = error
  assert.deepEqual([code, retryable, isUndone], ["storage-unavailable", true, true])
  return true
}

/** The moments at which writes of new tasks are refused, from `first` on. */
async function noteRefusals(
  writer: Writer,
  { count, name, now }: { count: number; name: string; now(): number },
): Promise<readonly number[]> {
  const first = now()
  const writes = toTasks(count, name).map(async ({ append }) => {
    await assert.rejects(writer.write({ ...ADMISSION, append }), isUnavailable)
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
          execute: async () => pass(),
          async run() {
            throw serverError("53100")
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
    const answered = Promise.withResolvers<never[]>()
    const slow = createFakeConnection({
      run() {
        asked.resolve()
        return answered.promise
      },
    })
    const answers = [() => slow, refuse, createFakeConnection]
    const writer = openWriter(async () => (answers.shift() ?? assert.fail())(), 1)
    const [first, second] = toTasks(2)
    assert.ok(first && second)
    const stored = [writer.write({ ...ADMISSION, append: first.append })]
    await asked.promise
    stored.push(writer.write({ ...ADMISSION, append: second.append }))
    clock.pass(2 * connectPatienceMs)
    slow.destroy()
    answered.resolve([])
    assert.deepEqual(await Promise.all(stored), [{ kind: "admitted" }, { kind: "admitted" }])
    assert.equal(answers.length, 0)
  })
})

describe("what already happened, behind a database that is gone", () => {
  it("is tried from its turn on, and stored where the database is back by then", async (t) => {
    const clock = holdClock(t)
    let isBack = false
    const writer = openWriter(async () => {
      clock.pass(1_000)
      return isBack ? createFakeConnection() : refuse()
    }, 1)
    const [happened] = toTasks(1, "happened")
    assert.ok(happened)
    const refused = noteRefusals(writer, { count: 2_000, name: "task", now: clock.now })
    const stored = writer.write({ ...FACT, append: happened.append })
    await refused
    isBack = true
    assert.deepEqual(await stored, { kind: "admitted" })
  })

  it("is refused, retryably, after the patience that it has from its turn on", async (t) => {
    const clock = holdClock(t)
    const writer = openWriter(async () => {
      clock.pass(1_000)
      return refuse()
    }, 1)
    const [happened] = toTasks(1, "happened")
    assert.ok(happened)
    const refused = noteRefusals(writer, { count: 2_000, name: "task", now: clock.now })
    const rejected = assert.rejects(
      writer.write({ ...FACT, append: happened.append }),
      isUnavailable,
    )
    await refused
    const turnAt = clock.now()
    await rejected
    assert.ok(clock.now() - turnAt >= connectPatienceMs - 1_000)
    assert.ok(clock.now() - turnAt < connectPatienceMs + 1_000)
  })
})

describe("a batch whose outcome is unknown, and whose row its lost session holds", () => {
  for (const change of [ADMISSION, FACT]) {
    const what = change.isJudged ? "a new task" : "what already happened"
    it(`is tried for as long as there is patience, and no longer (${what})`, async (t) => {
      const clock = holdClock(t)
      let tries = 0
      const first = clock.now()
      const writer = openWriter(async () => {
        tries += 1
        const error = tries === 1 ? new Error("Connection terminated") : serverError("55P03")
        return createFakeConnection({
          async run() {
            if (clock.now() - first < 2 * patienceMs) throw error
            return []
          },
          async execute() {
            if (tries > 1) clock.pass(patienceMs / 6)
          },
        })
      }, 1)
      const [{ append } = assert.fail()] = toTasks(1)
      await assert.rejects(writer.write({ ...change, append }), (error) => {
        assert.ok(isSafelightError(error))
        const code = change.isJudged ? "outcome-unknown" : "storage-unavailable"
        assert.deepEqual([error.code, error.retryable], [code, !change.isJudged])
        assert.equal(error.isUndone, false)
        return true
      })
      assert.ok(clock.now() - first >= patienceMs, `${clock.now() - first} ms`)
      assert.ok(clock.now() - first < 2 * patienceMs, `${clock.now() - first} ms`)
      await writer.drain()
    })
  }
})

describe("a network that is silent", () => {
  it("keeps nobody waiting for a new task's answer for longer than its time", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] })
    const connections: FakeConnection[] = []
    const writer = openWriter(async () => {
      const connection = createFakeConnection({ run: () => new Promise(() => {}) })
      connections.push(connection)
      return connection
    }, 1)
    const [sent, waiting, fact] = toTasks(3)
    assert.ok(sent && waiting && fact)
    const unknown = assert.rejects(writer.write({ ...ADMISSION, append: sent.append }), {
      code: "outcome-unknown",
      retryable: false,
    })
    while (connections.length === 0) await new Promise(setImmediate)
    const undone = assert.rejects(
      writer.write({ ...ADMISSION, append: waiting.append }),
      isUnavailable,
    )
    let isSettled = false
    writer.write({ ...FACT, append: fact.append }).then(
      () => (isSettled = true),
      () => (isSettled = true),
    )
    t.mock.timers.tick(DEFAULTS.answerMs - 1)
    await new Promise(setImmediate)
    t.mock.timers.tick(1)
    await Promise.all([unknown, undone])
    // What happened waits on: it must be written down.
    assert.equal(isSettled, false)
  })
})
