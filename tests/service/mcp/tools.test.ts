/** An agent at a real service, through both doors: the official client lists, asks, buys, waits and cancels. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { until } from "../../support/until.ts"
import {
  DOORS,
  EDIT,
  IMAGE,
  LONG,
  openAgent,
  openAgentWorld,
  toImage,
  VIDEO,
  type AgentWorld,
} from "./agent-world.ts"

const SMALL = { prompt: "a lighthouse", size: "square" }
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAACVBMVEXWKCj1yHgUHij61eAhAAAAVUlEQVQY043LsQ2AMAxE0aNIQ58lmIIRXIT9XEY3JT6HJgKh/OrJOuN6wiKsDDSgJgwoCUQTmlADJpRPnML2j9cXXdgJduEIUOAE10Tomgj0OCSyFdwnvk7a3BCkTQAAAABJRU5ErkJggg=="

describe("an agent", () => {
  let world: AgentWorld
  before(async () => {
    world = await openAgentWorld()
  })
  after(() => world[Symbol.asyncDispose]())
  const toService = () => ({ url: world.service.url, key: world.key })

  for (const door of DOORS) {
    it(`finds the models as tools over ${door}, with their schemas`, async (t) => {
      const { client } = await openAgent(t, door, toService())
      assert.equal(client.getServerVersion()?.name, "safelight")
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        [
          "list_models",
          "describe_model",
          "quote",
          "generate_image",
          "edit_image",
          "generate_video",
          "get_task",
          "cancel_task",
        ],
      )
      const image = tools.find(({ name }) => name === "generate_image")?.inputSchema
      const { model, parameters } = image?.properties ?? {}
      assert.deepEqual(model, { enum: [IMAGE] })
      const asked = await world.api.model(IMAGE)
      const { $schema: _, ...schema } = asked.parameters
      assert.deepEqual(parameters, { title: IMAGE, ...schema })
      assert.deepEqual(image?.required, ["model", "parameters"])
    })

    it(`asks for models and prices over ${door}, and buys nothing`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const balance = await world.api.balance()
      const { data: list } = await call("list_models", {})
      assert.deepEqual(
        list.models.map((each: { model: string; tools: string[] }) => [each.model, each.tools]),
        [
          [IMAGE, ["generate_image"]],
          [EDIT, ["edit_image"]],
          [VIDEO, ["generate_video"]],
        ],
      )
      const { data: described } = await call("describe_model", { model: EDIT })
      assert.deepEqual(described, await world.api.model(EDIT))
      const { data: quoted } = await call("quote", { model: IMAGE, parameters: SMALL })
      assert.equal(quoted.max_cost_micros, 10_000)
      assert.deepEqual(await world.api.balance(), balance)
    })

    it(`makes an image over ${door}, is told how far it is, and has its bytes`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const seen: number[] = []
      const made = await call(
        "generate_image",
        { model: IMAGE, parameters: SMALL },
        { onProgress: ({ progress }) => seen.push(progress) },
      )
      assert.ok(!made.isError, JSON.stringify(made.data))
      const { artifacts, charge_micros: charge, status, task_id: id } = made.data
      assert.deepEqual([status, charge, artifacts.length], ["succeeded", 10_000, 1])
      assert.deepEqual(
        seen,
        [...new Set(seen)].toSorted((a, b) => a - b),
      )
      assert.equal(seen.at(-1), 100)
      const link = made.content.find(({ type }) => type === "resource_link")
      assert.deepEqual(
        [link?.type === "resource_link" && link.uri, artifacts[0].key],
        [artifacts[0].url, "image_1"],
      )
      // A private link: who clicks it has no key.
      const opened = Buffer.from(await (await fetch(artifacts[0].url)).arrayBuffer())
      const stored = await world.api.artifact(id, "image_1").blob()
      assert.deepEqual(opened, Buffer.from(await stored.arrayBuffer()))
      assert.deepEqual(toImage(made), { bytes: opened, mimeType: "image/png" })
      assert.deepEqual(
        JSON.parse(made.content[0]?.type === "text" ? made.content[0].text : ""),
        made.data,
      )
    })

    it(`edits an image over ${door}`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const parameters = { prompt: "warm", image_urls: [PICTURE], output_format: "png" }
      const made = await call("edit_image", { model: EDIT, parameters })
      assert.ok(!made.isError, JSON.stringify(made.data))
      assert.deepEqual([made.data.status, made.data.charge_micros], ["succeeded", 20_000])
    })

    it(`leaves a long task over ${door} and waits for it later`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const parameters = { prompt: "waves", duration: 4, resolution: "480p" }
      const begun = await call("generate_video", { model: VIDEO, parameters, wait_seconds: 0 })
      assert.match(begun.data.status, /^(?:queued|running)$/)
      assert.match(begun.data.next, /get_task/)
      const waited = { task_id: begun.data.task_id, wait_seconds: 600 }
      const { content, data } = await call("get_task", waited)
      assert.deepEqual([data.status, data.charge_micros], ["succeeded", 400_000])
      assert.deepEqual(
        content.map(({ type }) => type),
        ["text", "resource_link"],
      )
    })

    it(`reads over ${door} which field is wrong, and nothing is bought`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const spent = (await world.api.balance()).spent_micros
      const wrong = [
        [
          { model: IMAGE, parameters: { ...SMALL, size: "huge" } },
          "invalid_value",
          "parameters.size",
        ],
        [{ model: IMAGE, parameters: {} }, "missing_required_parameter", "parameters.prompt"],
        [
          { model: IMAGE, parameters: { ...SMALL, style: 1 } },
          "unknown_parameter",
          "parameters.style",
        ],
        [
          { model: IMAGE, parameters: JSON.parse('{"prompt":"a","__proto__":1}') },
          "unknown_parameter",
          "parameters.__proto__",
        ],
        [{ model: IMAGE, parameters: [] }, "invalid_type", "parameters"],
        [{ model: IMAGE }, "missing_required_parameter", "parameters"],
        [{ parameters: SMALL }, "missing_required_parameter", "model"],
        [{ model: 1, parameters: SMALL }, "invalid_type", "model"],
        [{ model: VIDEO, parameters: SMALL }, "invalid_value", "model"],
        [{ model: IMAGE, parameters: SMALL, seed: 1 }, "unknown_parameter", "seed"],
        [
          { model: IMAGE, parameters: SMALL, wait_seconds: -1 },
          "integer_below_min_value",
          "wait_seconds",
        ],
        [
          { model: IMAGE, parameters: SMALL, wait_seconds: 601 },
          "integer_above_max_value",
          "wait_seconds",
        ],
        [{ model: IMAGE, parameters: SMALL, wait_seconds: "5" }, "invalid_type", "wait_seconds"],
      ] as const
      for (const [given, code, param] of wrong) {
        const { data, isError } = await call("generate_image", given)
        assert.deepEqual([isError, data.error.code, data.error.param], [true, code, param])
      }
      const { data } = await call("generate_image", { model: "nobody/none", parameters: SMALL })
      assert.match(data.error.code, /not_found$/)
      assert.equal((await world.api.balance()).spent_micros, spent)
    })

    it(`reads over ${door} why a task failed, and that it cost nothing`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const parameters = { prompt: "[studio: fail content_policy_violation] fog" }
      const { data, isError } = await call("generate_image", { model: IMAGE, parameters })
      assert.deepEqual(
        [isError, data.status, data.error.code, data.charge_micros],
        [true, "failed", "content_policy_violation", 0],
      )
    })

    it(`cancels a task over ${door}`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const given = { model: IMAGE, parameters: LONG, wait_seconds: 0 }
      const { task_id } = (await call("generate_image", given)).data
      const { data } = await until(
        () => call("cancel_task", { task_id }),
        ({ data: { outcome } }) => outcome !== "unknown",
      )
      assert.match(data.outcome, /^(?:cancelled|stopped)$/)
      assert.deepEqual([data.status, data.charge_micros], ["failed", 0])
      const unknown = await call("cancel_task", { task_id: "01a21975-0558-7000-8422-7f03c11543a5" })
      assert.deepEqual([unknown.isError, unknown.data.error.code], [true, "task_not_found"])
    })

    it(`has the task of a call cancelled that it cancels over ${door}`, async (t) => {
      const { call } = await openAgent(t, door, toService())
      const stop = new AbortController()
      const { promise: task, resolve: found } = Promise.withResolvers<string>()
      const calling = call(
        "generate_image",
        { model: IMAGE, parameters: LONG },
        {
          signal: stop.signal,
          onProgress: ({ message = "" }) => found(/task (\S+)$/.exec(message)?.[1] ?? ""),
        },
      )
      const id = await task
      stop.abort()
      await assert.rejects(calling)
      const ended = await world.api.wait(id)
      assert.equal(ended.error?.code, "task_cancelled")
    })
  }
})
