/** Where a busy queue is taken from: past what was taken already, and now and then from the front. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { createTakeCursor, CURSOR_MS, QUEUE_FRONT, type TakeCursor } from "@safelight/store"

/** As many as make a queue busy. */
const MANY = 100

interface Opened {
  readonly cursor: TakeCursor
  pass(durationMs: number): void
}

function open(context: TestContext): Opened {
  let nowMs = 1_000
  context.mock.method(performance, "now", () => nowMs)
  const cursor = createTakeCursor()
  cursor.from()
  const pass = (durationMs: number): void => void (nowMs += durationMs)
  return { cursor, pass }
}

/** New tasks with the start tags `first`, `first + 1`… */
function toNewTasks(first: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({ dueAt: 0, startTag: first + index }))
}

function take(cursor: TakeCursor, places: ReturnType<typeof toNewTasks>, tookMs = 1): void {
  cursor.note(cursor.from(), places, tookMs)
}

describe("a taking's beginning", () => {
  it("is the front while few are taken", (context) => {
    const { cursor } = open(context)
    take(cursor, toNewTasks(0, MANY - 1))
    assert.equal(cursor.from(), QUEUE_FRONT)
  })

  it("is the start tag that was reached once many are taken", (context) => {
    const { cursor } = open(context)
    take(cursor, toNewTasks(0, MANY))
    assert.deepEqual(cursor.from(), { ...QUEUE_FRONT, fromTag: MANY - 1 })
    // Lower start tags that were found late take it nowhere back.
    take(cursor, toNewTasks(5, 1))
    assert.equal(cursor.from().fromTag, MANY - 1)
  })

  it("is a moment shortly before that of the last due task", (context) => {
    const { cursor } = open(context)
    const dueAt = 1_800_000_000_000
    const due = Array.from({ length: MANY }, (_, index) => ({
      dueAt: dueAt - index,
      startTag: null,
    }))
    cursor.note(cursor.from(), due, 1)
    assert.deepEqual(cursor.from(), { ...QUEUE_FRONT, fromDue: dueAt - CURSOR_MS })
  })

  it("is the front once a lap, and what is found there leads on again", (context) => {
    const { cursor, pass } = open(context)
    take(cursor, toNewTasks(0, MANY))
    pass(CURSOR_MS)
    assert.equal(cursor.from(), QUEUE_FRONT)
    // The lap before was busy: this one need not be counted first.
    cursor.note(QUEUE_FRONT, toNewTasks(1_000, 1), 1)
    assert.equal(cursor.from().fromTag, 1_000)
  })

  it("is the front again where nothing more is found, and after a lap that was not busy", (context) => {
    const { cursor, pass } = open(context)
    take(cursor, toNewTasks(0, MANY))
    cursor.rewind()
    assert.equal(cursor.from(), QUEUE_FRONT)
    take(cursor, toNewTasks(0, 1))
    pass(CURSOR_MS)
    cursor.from()
    take(cursor, toNewTasks(0, 1))
    assert.equal(cursor.from(), QUEUE_FRONT)
  })

  it("is the front more rarely where beginning there takes long", (context) => {
    const { cursor, pass } = open(context)
    const tookMs = CURSOR_MS / 2
    take(cursor, toNewTasks(0, MANY), tookMs)
    pass(CURSOR_MS)
    assert.equal(cursor.from().fromTag, MANY - 1)
    pass(tookMs * 20 - CURSOR_MS)
    assert.equal(cursor.from(), QUEUE_FRONT)
  })

  it("is the front within some seconds however long beginning there took", (context) => {
    const { cursor, pass } = open(context)
    take(cursor, toNewTasks(0, MANY), 60_000)
    pass(CURSOR_MS * 20)
    assert.equal(cursor.from(), QUEUE_FRONT)
  })
})
