/** What becomes of a batch that fails: nothing of it is lost, nothing is committed twice. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createWriter, judge, SERVER_PATIENCE, type How, type Lane } from "@safelight/store"
import { submitSample } from "@safelight/testkit"
import { databaseError } from "./fake-connection.ts"

type Commit = Lane<string, "stored">["commit"]

const NEVER: How = { judgesEach: false, isUnknown: false, lockTimeouts: 0 }

/** A writer over a lane that fails as `fail` says of each try, and what the lane has stored. */
function openWriter(fail: (batch: readonly string[], tries: number) => void) {
  const stored: string[] = []
  const tries: { readonly batch: readonly string[]; readonly how: How }[] = []
  const commit: Commit = async (batch, { judgesEach, isUnknown, lockTimeouts }) => {
    tries.push({ batch, how: { judgesEach, isUnknown, lockTimeouts } })
    fail(batch, tries.length)
    // What is stored already counts as committed, where that is to be looked for.
    stored.push(...batch.filter((work) => !judgesEach || !stored.includes(work)))
    return batch.map(() => "stored" as const)
  }
  const writer = createWriter({ lanes: [{ commit }], patience: SERVER_PATIENCE })
  const write = (work: string) => writer.write({ work, bytes: 0, isAsked: false })
  return { stored, tries, write }
}

describe("work that can't be stored", () => {
  it("is found by halving, and rejects alone and for good", async () => {
    const { stored, write } = openWriter((batch) => {
      if (batch.includes("poison")) throw databaseError("change")
    })
    const names = Array.from({ length: 40 }, (_, index) => (index === 17 ? "poison" : `${index}`))
    const results = await Promise.allSettled(names.map(write))
    const rejected = results.flatMap((result, index) =>
      result.status === "rejected" ? [[names[index], result.reason.retryable]] : [],
    )
    assert.deepEqual(rejected, [["poison", false]])
    const others = names.filter((name) => name !== "poison")
    assert.deepEqual(stored.toSorted(), others.toSorted())
  })
})

describe("a batch whose answer is lost", () => {
  it("is committed again as it was, with what is known of it, and stored once", async () => {
    const { stored, tries, write } = openWriter((batch, count) => {
      if (count > 1) return
      stored.push(...batch)
      throw databaseError("lost")
    })
    const names = ["one", "two", "three"]
    assert.deepEqual(await Promise.all(names.map(write)), ["stored", "stored", "stored"])
    assert.deepEqual(stored, names)
    assert.deepEqual(tries, [
      { batch: names, how: NEVER },
      { batch: names, how: { judgesEach: true, isUnknown: true, lockTimeouts: 0 } },
    ])
  })
})

describe("a batch of which somebody else holds a part", () => {
  it("leaves that out, and is halved where that does not help", async () => {
    const { tries, write } = openWriter((batch) => {
      if (batch.includes("held")) throw databaseError("held")
    })
    const [held, other] = await Promise.allSettled([write("held"), write("other")])
    assert.equal(other.status, "fulfilled")
    assert.ok(held.status === "rejected")
    assert.deepEqual([held.reason.retryable, held.reason.isUndone], [true, true])
    assert.deepEqual(
      tries.slice(0, 3).map(({ batch, how }) => [batch.length, how.lockTimeouts]),
      [
        [2, 0],
        [2, 1],
        [1, 0],
      ],
    )
  })
})

describe("a task that an earlier try may have stored", () => {
  const { append } = submitSample({ id: "task" })
  const change = { append, isAsked: true, use: undefined }
  const full = { budgetMicros: null, spentMicros: null, mostTasks: 1, unfinishedTasks: 1 }
  const facts = {
    rooms: [{ account: append.changes.task.account, ...full }],
    uses: [],
    heads: [],
    stored: [],
    locked: undefined,
  }

  it("is refused where no answer was lost, and unknown where one was", () => {
    const { outcomes: certain, survivors } = judge([change], facts, NEVER)
    assert.deepEqual(certain, [{ kind: "refused", limit: "unfinished-tasks" }])
    assert.deepEqual(survivors, [])
    const [outcome] = judge([change], facts, { ...NEVER, isUnknown: true }).outcomes
    assert.ok(outcome instanceof Error)
    assert.deepEqual([outcome.retryable, outcome.isUndone], [true, false])
  })

  it("counts as stored where its newest event is in the log, whatever stops it now", () => {
    const stored = [{ task: append.task, hash: append.events.at(-1)?.hash ?? "" }]
    const { outcomes, survivors } = judge([change], { ...facts, stored }, NEVER)
    assert.deepEqual([outcomes, survivors], [[{ kind: "admitted" }], []])
  })
})
