/** The contract of `Storage`: labels. How tasks are listed by them is in `storage-list-behaviours.ts`. */
import assert from "node:assert/strict"
import type { ChargeSum, Labels, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "./sample-task.ts"
import { toInput, type StorageFixture } from "./storage-fixture.ts"

export const LABEL_BEHAVIOURS: Behaviours<StorageFixture> = {
  "labels come back as they were, and a task without any has none": async (fixture) => {
    const { storage } = fixture
    const labels = { "a.b-c_1": `"quoted", =a, \\ ' ; --`, constructor: "x", empty: "" }
    await storage.append(submitSample({ id: "t", labels }).append)
    await storage.append(submitSample({ id: "u" }).append)
    await storage.append(submitSample({ id: "v", labels: {} }).append)
    assert.deepEqual(await storage.readLabels("t"), labels)
    for (const id of ["u", "v", "unknown"]) assert.deepEqual(await storage.readLabels(id), {})
    assert.deepEqual(await (await fixture.reopen()).readLabels("t"), labels)
  },

  "labels are stored in the commit that admits the task, or not at all": async ({ storage }) => {
    const labels = { project: "spring" }
    await storage.setAccount({ id: "account", now: 500, settings: { budgetMicros: 30_000 } })
    const admitted = submitSample({ id: "t", labels })
    const refused = submitSample({ id: "u", labels: { project: "autumn" } })
    const request = { append: admitted.append }
    const [first, second] = await Promise.all([
      storage.admit(request),
      storage.admit({ append: refused.append }),
    ])
    assert.deepEqual([first.kind, second.kind], ["admitted", "refused"])
    assert.deepEqual(await storage.admit(request), { kind: "admitted" })
    assert.deepEqual(await storage.readLabels("t"), labels)
    assert.deepEqual(await storage.readLabels("u"), {})
  },

  "labels stay when the inputs go, and go only if a task's names are erased too": async ({
    storage,
  }) => {
    const labels = { project: "spring" }
    for (const id of ["t", "u", "v"]) {
      await storage.append(submitSample({ id, labels, inputs: [toInput(id, "request")] }).append)
    }
    assert.equal(await storage.eraseInputs("t"), true)
    assert.equal(await storage.eraseInputs("u", { keepsNames: true }), true)
    assert.deepEqual(await storage.readLabels("t"), {})
    for (const id of ["u", "v"]) assert.deepEqual(await storage.readLabels(id), labels)
    const { tasks } = await storage.listTasks({ account: "account", limit: 5, labels })
    assert.deepEqual(
      tasks.map(({ id }) => id),
      ["v", "u"],
    )
    // Nothing but its labels is left.
    assert.equal(await storage.eraseInputs("u", { keepsNames: true }), false)
    assert.equal(await storage.eraseInputs("u"), true)
    assert.equal(await storage.eraseInputs("u"), false)
    assert.deepEqual(await storage.readLabels("u"), {})
  },

  "charges add up by label, by all of several, and never of another account": async ({
    storage,
  }) => {
    await charge(storage, { id: "a", labels: { project: "spring", team: "a" }, chargeMicros: 1 })
    await charge(storage, { id: "b", labels: { project: "spring" }, chargeMicros: 10 })
    await charge(storage, { id: "c", labels: { team: "a" }, chargeMicros: 100, now: 3_000 })
    await charge(storage, { id: "d", labels: {}, chargeMicros: 1_000 })
    const others = { account: "other", labels: { project: "spring" } }
    await charge(storage, { id: "e", chargeMicros: 10_000, ...others })
    const sum = async (labels: Labels, to = 9_000): Promise<number> =>
      toMicros(await storage.sumCharges({ account: "account", from: 0, to, labels }))
    assert.equal(await sum({}), 1_111)
    assert.equal(await sum({ project: "spring" }), 11)
    assert.equal(await sum({ team: "a" }), 101)
    assert.equal(await sum({ team: "a" }, 3_000), 1)
    assert.equal(await sum({ team: "a", project: "spring" }), 1)
    assert.equal(await sum({ team: "b", project: "spring" }), 0)
    assert.equal(await sum({ project: "spri" }), 0)
  },
}

interface Charged {
  readonly id: string
  readonly labels: Labels
  readonly chargeMicros: number
  readonly account?: string
  readonly now?: number
}

async function charge(
  storage: Storage,
  { account = "account", chargeMicros, id, labels, now = 2_000 }: Charged,
): Promise<void> {
  const submitted = submitSample({ id, labels, submitted: { account } })
  await storage.append(submitted.append)
  const commands = [dispatchSample(), succeedSample(1, { chargeMicros })]
  await storage.append(advanceSample(submitted.head, commands, { now }).append)
}

function toMicros(sums: readonly ChargeSum[]): number {
  return sums.reduce((total, { chargeMicros }) => total + chargeMicros, 0)
}
