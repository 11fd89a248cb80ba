/** A task's chain of hashes, proved by the client: the engine's own seals hold, and any change shows. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { proveEvents, type StoredEvent } from "@safelight/client"
import { submitSample, advanceSample, dispatchSample, succeedSample } from "@safelight/testkit"

const TASK = "01a20800-0000-7000-8000-000000000001"

function seal(task = TASK): readonly StoredEvent[] {
  const { append, head } = submitSample({ id: task, submitted: { model: "m/é 💩" } })
  const accept = { kind: "accept", operation: { ä: 1 }, upstreamKey: "key-1" } as const
  const more = advanceSample(head, [dispatchSample(), accept, succeedSample()])
  return [...append.events, ...more.append.events]
}

describe("a proof of events", () => {
  it("holds for what was sealed, and tells the last hash", () => {
    const events = seal()
    assert.equal(events.length, 4)
    const proof = { isWhole: true, brokenAt: null, hash: events.at(-1)?.hash }
    assert.deepEqual(proveEvents(events), proof)
    assert.deepEqual(proveEvents([]), { isWhole: true, brokenAt: null, hash: "0".repeat(64) })
  })

  it("names the first event that is not as it was sealed", () => {
    const events = seal()
    const change = (place: number, changed: Partial<StoredEvent>): readonly StoredEvent[] =>
      events.map((event, index) => (index === place ? { ...event, ...changed } : event))
    const others = seal("01a20800-0000-7000-8000-000000000002")
    for (const [changed, brokenAt] of [
      [change(1, { at: 5 }), 2],
      [change(2, { data: "[]" }), 3],
      [change(1, { sealed: null }), 2],
      [change(2, { sealed: events[3]?.sealed ?? "" }), 3],
      [change(3, { sealed: `${events[3]?.sealed} ` }), 4],
      [change(0, { sealed: "{}" }), 1],
      [change(0, { type: "held" }), 1],
      [change(0, { schema: 9 }), 1],
      [change(3, { hash: "0".repeat(64) }), 4],
      [change(3, { version: 5 }), 4],
      [events.slice(1), 1],
      [events.toSpliced(2, 1), 3],
      [[...events.slice(0, 2), ...others.slice(2)], 3],
      [others.map((event) => ({ ...event, task: TASK })), 1],
    ] as const) {
      const proof = proveEvents(changed)
      assert.deepEqual([proof.isWhole, proof.brokenAt], [false, brokenAt])
    }
  })
})
