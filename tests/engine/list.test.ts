/** Listing as an embedding host asks for it; what pages promise is the storage contract's. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { ParameterValues } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { createScene, MODEL } from "./support.ts"

describe("an engine's list of tasks", () => {
  it("shows the account's own tasks as they stand, newest first", async () => {
    const { clock, engine, read, submit } = createScene({
      channels: [createScriptedChannel()],
      isStarted: false,
    })
    const first = await submit()
    await clock.advance(1)
    const second = await submit()
    const whole = await engine.listTasks({ account: "ada", limit: 5 })
    const tasks = [await read(second.id), await read(first.id)]
    assert.deepEqual(whole, { kind: "listed", tasks, next: null })
    const { createdAt, id } = second
    const page = await engine.listTasks({ account: "ada", limit: 1 })
    assert.deepEqual(page, { kind: "listed", tasks: [second], next: { createdAt, id } })
    const others = await engine.listTasks({ account: "bob", limit: 5 })
    assert.deepEqual(others, { kind: "listed", tasks: [], next: null })
  })

  it("refuses a model it does not have, with those it has", async () => {
    const { engine, submit } = createScene({
      channels: [createScriptedChannel()],
      isStarted: false,
    })
    const task = await submit()
    const request = { account: "ada", limit: 5 }
    const unknown = await engine.listTasks({ ...request, model: "Model-a" })
    assert.deepEqual(unknown, { kind: "unknown-model", models: ["model-a"] })
    const known = await engine.listTasks({ ...request, model: "model-a" })
    assert.deepEqual(known, { kind: "listed", tasks: [task], next: null })
  })

  it("tells the beginnings of prompts where they are asked for, until the inputs are erased", async () => {
    const { engine, submit } = createScene({
      channels: [createScriptedChannel()],
      models: [
        {
          ...MODEL,
          check: (parameters) => ({ kind: "valid", parameters: parameters as ParameterValues }),
        },
      ],
      isStarted: false,
    })
    const prompts = [
      "a lighthouse",
      `${"a".repeat(199)}\u{1f600} behind the cut`,
      `${"c".repeat(198)}\u{1f600}!`,
      "d".repeat(70_000),
    ]
    const tasks: string[] = []
    for (const prompt of prompts) tasks.push((await submit({ prompt, count: 1 })).id)
    const request = { account: "ada", limit: 5 }
    const read = async (): Promise<readonly (string | undefined)[]> => {
      const page = await engine.listTasks({ ...request, withPrompts: true })
      assert.equal(page.kind, "listed")
      const shown = page.kind === "listed" ? page.prompts : undefined
      return tasks.map((id) => shown?.get(id))
    }
    const cut = ["a".repeat(199), `${"c".repeat(198)}\u{1f600}`]
    assert.deepEqual(await read(), ["a lighthouse", ...cut, undefined])
    await engine.erase({ account: "ada", id: tasks[0] ?? "" })
    assert.deepEqual(await read(), [undefined, ...cut, undefined])
    const without = await engine.listTasks(request)
    assert.equal("prompts" in without, false)
    const others = await engine.listTasks({ account: "bob", limit: 5, withPrompts: true })
    assert.deepEqual(others, { kind: "listed", tasks: [], next: null, prompts: new Map() })
  })
})
