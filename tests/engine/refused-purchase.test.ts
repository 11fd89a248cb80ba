/** What was bought and is not taken any more: named in the log, and stopped where that is possible. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { CancelOutcome, SubmitOutcome } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { createLogRecorder, type LogEntry } from "./log-recorder.ts"
import { completed, createScene, submitTo } from "./support.ts"

const REFUSED = "purchase not delivered"

function findRefused(entries: readonly LogEntry[]): LogEntry[] {
  return entries.filter(({ message }) => message === REFUSED)
}

/** A channel whose first call answers when it is told to, past its time-out. */
function createLate(outcome: CancelOutcome = "stopped") {
  let answer!: (outcome: SubmitOutcome) => void
  const late = new Promise<SubmitOutcome>((resolve) => (answer = resolve))
  const cancelled: unknown[] = []
  const channel = {
    ...createScriptedChannel({ submits: [() => late], polls: [completed()] }),
    async cancel({ operation }: { operation: unknown }) {
      cancelled.push(operation)
      return outcome
    },
  }
  return { answer, cancelled, channel }
}

describe("a purchase that its task does not take any more", () => {
  it("is named in the log with its handle, and the channel is asked to stop", async () => {
    const { answer, cancelled, channel } = createLate()
    const { entries, log } = createLogRecorder()
    const { scene, id } = await submitTo(channel, { log })
    await scene.clock.advance(602_000)
    assert.equal((await scene.read(id)).error?.code, "upstream_outcome_unknown")
    answer({ kind: "accepted", operation: { id: 7 } })
    await scene.clock.advance(1)
    const [refused] = findRefused(entries)
    assert.equal(refused?.level, "error")
    const { channel: name, operation, rejection, state, task, upstreamKey } = refused.fields
    assert.deepEqual([task, name, upstreamKey, operation], [id, "scripted", `${id}.1`, { id: 7 }])
    assert.deepEqual([state, rejection], ["failed", "illegal-transition"])
    assert.deepEqual(cancelled, [{ id: 7 }])
  })

  it("has a line that says whether it may be billed, by what the channel answers", async () => {
    for (const [outcome, level] of [
      ["stopped", "info"],
      ["too-late", "warn"],
      ["unknown", "warn"],
    ] as const) {
      const { answer, channel } = createLate(outcome)
      const { entries, log } = createLogRecorder()
      const scene = createScene({ channels: [channel], log })
      await scene.submit()
      await scene.clock.advance(602_000)
      answer({ kind: "accepted", operation: { id: 7 } })
      await scene.clock.advance(1)
      const line = entries.find(({ fields }) => fields["outcome"] !== undefined)
      assert.equal(line?.level, level)
      assert.deepEqual([line.fields["outcome"], line.fields["operation"]], [outcome, { id: 7 }])
      assert.equal(line.message, "cancel")
    }
  })

  it("is named also where it came complete, and its files are removed", async () => {
    const { answer, channel } = createLate()
    const { entries, log } = createLogRecorder()
    const { scene, id } = await submitTo(channel, { log })
    await scene.clock.advance(602_000)
    answer({ ...completed(), operation: { id: 8 } })
    await scene.clock.advance(1)
    assert.equal((await scene.read(id)).state, "failed")
    assert.deepEqual(findRefused(entries)[0]?.fields["operation"], { id: 8 })
    assert.deepEqual(await scene.artifacts.list(id), [])
  })

  it("that came to nothing and was billed all the same is named with its cost", async () => {
    const bills = [
      { kind: "refused", code: "provider_rejected", cost: { amount: 0.5, unit: "usd" } },
      { kind: "refused", code: "provider_rejected", billed: "maybe" },
      { kind: "refused", code: "provider_rejected" },
    ] as const
    const told = { computedMicros: null, told: { micros: 500_000, unit: "usd" } }
    const costs: unknown[] = []
    for (const bill of bills) {
      const { answer, channel } = createLate()
      const { entries, log } = createLogRecorder()
      const scene = createScene({ channels: [channel], log })
      await scene.submit()
      await scene.clock.advance(602_000)
      answer(bill)
      await scene.clock.advance(1)
      costs.push(findRefused(entries).map(({ fields }) => fields["cost"]))
    }
    assert.deepEqual(costs, [[told], ["unknown"], []])
  })

  it("is not spoken of where the task follows that very operation already", async () => {
    const keyed = { kind: "keyed", keyTtlMs: 3_600_000 } as const
    let answer!: (outcome: SubmitOutcome) => void
    const late = new Promise<SubmitOutcome>((resolve) => (answer = resolve))
    const accepted = { kind: "accepted", operation: { id: 7 } } as const
    const channel = createScriptedChannel({
      submission: keyed,
      submits: [() => late, accepted],
      polls: [{ kind: "running", pollAfterMs: 60_000 }, completed()],
    })
    const { entries, log } = createLogRecorder()
    const { scene, id } = await submitTo(channel, { log })
    await scene.clock.advance(30_000)
    assert.equal((await scene.read(id)).state, "running")
    answer(accepted)
    await scene.clock.advance(60_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.deepEqual(findRefused(entries), [])
  })
})
