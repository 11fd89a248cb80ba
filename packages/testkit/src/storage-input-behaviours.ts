/** The contract of `Storage`: inputs, which hold what a person or a provider wrote. */
import assert from "node:assert/strict"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample } from "./sample-task.ts"
import { assertStored, toIds, toInput, type StorageFixture } from "./storage-fixture.ts"

export const INPUT_BEHAVIOURS: Behaviours<StorageFixture> = {
  "inputs come back as they were, whatever they hold": async ({ storage }) => {
    const bodies = [
      '""',
      '"a\\u0000b"',
      '"\\u0000"',
      "é\u{1f600}\u2028'\";--",
      "x".repeat(1_048_576),
    ]
    const inputs = bodies.map((body, index) => toInput("t", `provider:${index}`, body))
    await storage.append(submitSample({ id: "t", inputs }).append)
    for (const input of inputs) assert.deepEqual(await storage.readInput(input), input)
    assert.equal(await storage.readInput({ task: "t", name: "provider" }), undefined)
    assert.equal(await storage.readInput({ task: "T", name: "provider:1" }), undefined)
  },

  "the requests of several tasks are read at once, without those that are erased or too large":
    async ({ storage }) => {
      const bodies = { t: "x".repeat(20), u: "x".repeat(21), v: "é".repeat(11), w: "é".repeat(10) }
      for (const [id, body] of Object.entries(bodies)) {
        const inputs = [toInput(id, "request", body), toInput(id, "provider:1", "other")]
        await storage.append(submitSample({ id, inputs }).append)
      }
      const tasks = ["u", "w", "nobody", "t", "v"]
      const read = await storage.readRequests({ tasks, mostBytes: 20 })
      assert.deepEqual(Object.fromEntries(read), { t: bodies.t, w: bodies.w })
      await storage.eraseInputs("t")
      const left = await storage.readRequests({ tasks, mostBytes: 20 })
      assert.deepEqual([...left.keys()], ["w"])
      assert.equal((await storage.readRequests({ tasks: [], mostBytes: 20 })).size, 0)
    },

  "an input that is stored stays as it is": async ({ storage }) => {
    const submitted = submitSample({ id: "t", inputs: [toInput("t", "request", "first")] })
    await storage.append(submitted.append)
    const inputs = [toInput("t", "request", "second"), toInput("t", "provider:1", "new")]
    await storage.append(advanceSample(submitted.head, [dispatchSample()], { inputs }).append)
    assert.equal((await storage.readInput({ task: "t", name: "request" }))?.body, "first")
    assert.equal((await storage.readInput({ task: "t", name: "provider:1" }))?.body, "new")
  },

  "what is written once the inputs are erased is not kept, and the task goes on": async ({
    storage,
  }) => {
    const submitted = submitSample({ id: "t", inputs: [toInput("t", "request")] })
    await storage.append(submitted.append)
    assert.equal(await storage.eraseInputs("t"), true)
    const inputs = [toInput("t", "provider:1"), toInput("t", "request")]
    const dispatched = advanceSample(submitted.head, [dispatchSample()], { inputs })
    await storage.append(dispatched.append)
    for (const input of inputs) assert.equal(await storage.readInput(input), undefined)
    assert.equal((await storage.readTask("t"))?.task.version, 2)
  },

  "of inputs that are erased while others are written nothing is left": async ({ storage }) => {
    const ids = toIds(40)
    const tasks = ids.map((id) => submitSample({ id, inputs: [toInput(id, "request")] }))
    await Promise.all(tasks.map(({ append }) => storage.append(append)))
    await Promise.all(
      tasks.flatMap(({ head }) => {
        const { id } = head.task
        const inputs = [toInput(id, "provider:1")]
        const { append } = advanceSample(head, [dispatchSample()], { inputs })
        return [storage.append(append), storage.eraseInputs(id)]
      }),
    )
    for (const id of ids) {
      assert.equal(await storage.readInput({ task: id, name: "provider:1" }), undefined, id)
    }
  },

  "erased inputs are gone for good, and nothing else is": async ({ storage }) => {
    const inputs = [toInput("t", "request"), toInput("t", "provider:1")]
    const submitted = submitSample({ id: "t", inputs })
    const other = submitSample({ id: "u", inputs: [toInput("u", "request")] })
    await Promise.all([storage.append(submitted.append), storage.append(other.append)])
    assert.equal(await storage.eraseInputs("t"), true)
    assert.equal(await storage.eraseInputs("t"), false)
    assert.equal(await storage.readInput({ task: "t", name: "request" }), undefined)
    assert.equal(await storage.readInput({ task: "t", name: "provider:1" }), undefined)
    assert.ok(await storage.readInput({ task: "u", name: "request" }))
    await assertStored(storage, submitted)
  },
}
