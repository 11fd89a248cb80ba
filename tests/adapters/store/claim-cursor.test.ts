/** Where a busy queue is claimed from: past what was claimed already, and now and then from the front. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { createClaimCursor, CURSOR_MS, QUEUE_FRONT, type ClaimCursor } from "@safelight/store"

/** As many as make a queue busy. */
const MANY = 100

interface Opened {
  readonly cursor: ClaimCursor
  pass(durationMs: number): void
}

function open(context: TestContext): Opened {
  let nowMs = 1_000
  context.mock.method(performance, "now", () => nowMs)
  const cursor = createClaimCursor()
  cursor.from()
  const pass = (durationMs: number): void => void (nowMs += durationMs)
  return { cursor, pass }
}

/** Starts with the turns `first`, `first + 1`… */
function toStarts(first: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({ dueAt: 0, turn: first + index }))
}

function claim(cursor: ClaimCursor, places: ReturnType<typeof toStarts>, tookMs = 1): void {
  cursor.note(cursor.from(), places, tookMs)
}

describe("a claim's beginning", () => {
  it("is the front while few are claimed", (context) => {
    const { cursor } = open(context)
    claim(cursor, toStarts(0, MANY - 1))
    assert.equal(cursor.from(), QUEUE_FRONT)
  })

  it("is the turn that was reached once many are claimed", (context) => {
    const { cursor } = open(context)
    claim(cursor, toStarts(0, MANY))
    assert.deepEqual(cursor.from(), { ...QUEUE_FRONT, fromTurn: MANY - 1 })
    // Lower turns that were found late take it nowhere back.
    claim(cursor, toStarts(5, 1))
    assert.equal(cursor.from().fromTurn, MANY - 1)
  })

  it("is a moment shortly before that of the last step", (context) => {
    const { cursor } = open(context)
    const dueAt = 1_800_000_000_000
    const steps = Array.from({ length: MANY }, (_, index) => ({
      dueAt: dueAt - index,
      turn: null,
    }))
    cursor.note(cursor.from(), steps, 1)
    assert.deepEqual(cursor.from(), { ...QUEUE_FRONT, fromDue: dueAt - CURSOR_MS })
  })

  it("is the front once a lap, and what is found there leads on again", (context) => {
    const { cursor, pass } = open(context)
    claim(cursor, toStarts(0, MANY))
    pass(CURSOR_MS)
    assert.equal(cursor.from(), QUEUE_FRONT)
    // The lap before was busy: this one need not be counted first.
    cursor.note(QUEUE_FRONT, toStarts(1_000, 1), 1)
    assert.equal(cursor.from().fromTurn, 1_000)
  })

  it("is the front again where nothing more is found, and after a lap that was not busy", (context) => {
    const { cursor, pass } = open(context)
    claim(cursor, toStarts(0, MANY))
    cursor.rewind()
    assert.equal(cursor.from(), QUEUE_FRONT)
    claim(cursor, toStarts(0, 1))
    pass(CURSOR_MS)
    cursor.from()
    claim(cursor, toStarts(0, 1))
    assert.equal(cursor.from(), QUEUE_FRONT)
  })

  it("is the front more rarely where beginning there takes long", (context) => {
    const { cursor, pass } = open(context)
    const tookMs = CURSOR_MS / 2
    claim(cursor, toStarts(0, MANY), tookMs)
    pass(CURSOR_MS)
    assert.equal(cursor.from().fromTurn, MANY - 1)
    pass(tookMs * 20 - CURSOR_MS)
    assert.equal(cursor.from(), QUEUE_FRONT)
  })

  it("is the front within some seconds however long beginning there took", (context) => {
    const { cursor, pass } = open(context)
    claim(cursor, toStarts(0, MANY), 60_000)
    pass(CURSOR_MS * 20)
    assert.equal(cursor.from(), QUEUE_FRONT)
  })
})
