/** Knowing the price before, by the client: what it sends, what it refuses, and the service's own answers. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createClient, isApiError, jsonText, type Quote } from "@safelight/client"
import { createInProcessService } from "../service/in-process-service.ts"
import {
  ACCEPTED,
  createScriptedClient,
  json,
  LOST,
  MODEL,
  PARAMETERS,
  refusal,
} from "./scripted-client.ts"

const EDIT = "vendor-b/imagine-image/v2.0/edit"

const QUOTE: Quote = {
  quote: "1767229200.10000.v",
  valid_until: 1_767_229_200,
  model: MODEL,
  max_cost_micros: 10_000,
  price_version: "v",
  price: { per_image_micros: 10_000 },
  lines: [],
}

describe("a quote by the client", () => {
  it("is asked for with the body of the submission, again where its answer is lost", async () => {
    const { client, requests } = createScriptedClient([
      LOST,
      refusal(503, "service_unavailable"),
      json(200, QUOTE),
    ])
    assert.deepEqual(await client.quote(MODEL, PARAMETERS), QUOTE)
    assert.equal(requests.length, 3)
    for (const { body, headers, method, target } of requests) {
      assert.equal(`${method} ${target}`, "POST /v1/quotes")
      assert.deepEqual(JSON.parse(body ?? ""), { model: MODEL, parameters: PARAMETERS })
      assert.equal(headers.get("idempotency-key"), null)
    }
    await client.quote(MODEL, jsonText('{"n":1.0}'))
    assert.match(requests.at(-1)?.body ?? "", /"parameters":\{"n":1\.0\}\}$/)
  })

  it("is not what is asked for where the answer is another", async () => {
    const wrong = [
      { ...QUOTE, max_cost_micros: -1 },
      { ...QUOTE, quote: "" },
      { ...QUOTE, lines: [{}] },
      { ...QUOTE, price: null },
    ]
    for (const body of wrong) {
      const { client } = createScriptedClient([json(200, body)])
      await assert.rejects(client.quote(MODEL, PARAMETERS), { code: "invalid_answer" })
    }
  })

  it("and the most that a task may cost go with the submission, each time it is sent", async () => {
    const { client, requests } = createScriptedClient([LOST, ACCEPTED])
    await client.submit(MODEL, PARAMETERS, { quote: QUOTE.quote, maxCostMicros: 5 })
    assert.equal(requests.length, 2)
    for (const { headers } of requests) {
      assert.equal(headers.get("safelight-quote"), QUOTE.quote)
      assert.equal(headers.get("safelight-max-cost-micros"), "5")
    }
    await client.submit(MODEL, PARAMETERS)
    const { headers } = requests.at(-1) ?? assert.fail()
    assert.ok(!headers.has("safelight-quote") && !headers.has("safelight-max-cost-micros"))
  })

  it("that can't be sent is refused before anything is", async () => {
    const { client, requests } = createScriptedClient([ACCEPTED])
    for (const maxCostMicros of [-1, 0.5, Number.NaN, Infinity]) {
      await assert.rejects(client.submit(MODEL, PARAMETERS, { maxCostMicros }), TypeError)
    }
    for (const quote of ["", "a b", "a\r\nb"]) {
      await assert.rejects(client.submit(MODEL, PARAMETERS, { quote }), TypeError)
    }
    assert.equal(requests.length, 0)
  })
})

describe("the models by the client", () => {
  const INFO = {
    model: MODEL,
    parameters: {},
    price: { per_image_micros: 1 },
    price_version: "v",
  }

  it("are read page by page to their end, also of a service that has no pages", async () => {
    const { client, requests } = createScriptedClient([
      json(200, { models: [INFO, { ...INFO, model: "b" }], next_cursor: "MTp4" }),
      LOST,
      json(200, { models: [{ ...INFO, model: "c" }], next_cursor: null }),
      json(200, { models: [INFO] }),
    ])
    assert.deepEqual(
      (await client.models()).map(({ model }) => model),
      [MODEL, "b", "c"],
    )
    assert.deepEqual(
      requests.map(({ target }) => target),
      ["/v1/models", "/v1/models?limit=500&cursor=MTp4", "/v1/models?limit=500&cursor=MTp4"],
    )
    assert.equal((await client.models()).length, 1)
  })

  it("are refused where a page leads back to itself, or its cursor is none", async () => {
    const page = { models: [INFO], next_cursor: "MTp4" }
    for (const pages of [[page, page], [{ ...page, next_cursor: 5 }]]) {
      const { client } = createScriptedClient(pages.map((each) => json(200, each)))
      await assert.rejects(client.models(), { code: "invalid_answer" })
    }
  })
})

describe("a model by the client", () => {
  it("is asked for by its id, whose slashes stay", async () => {
    const { client, requests } = createScriptedClient([refusal(404, "not_found")])
    await assert.rejects(client.model("acme/a b/v1?"), { code: "not_found" })
    assert.equal(requests[0]?.target, "/v1/models/acme/a%20b/v1%3F")
    for (const id of ["", "a//b", "a/../b", "."]) {
      await assert.rejects(async () => client.model(id), TypeError)
    }
  })
})

describe("prices of a real service", () => {
  it("are told before, and kept to", async () => {
    await using service = await createInProcessService()
    const { keys, url } = service
    const client = createClient({ url, key: keys.whole })
    const models = await client.models()
    assert.equal(models.length, 3)
    assert.deepEqual(await client.model(EDIT), models[1])
    const parameters = { prompt: "night", image_urls: ["https://media.example/a.png"], count: 2 }
    const quote = await client.quote(EDIT, parameters)
    assert.equal(quote.max_cost_micros, 2 * (models[1]?.price.per_image_micros ?? 0))
    const task = await client.submit(EDIT, parameters, { quote: quote.quote })
    const usage = await client.taskUsage(task.task_id)
    assert.equal(usage.charge_limit_micros, quote.max_cost_micros)
    assert.equal(usage.price_version, quote.price_version)
    const refused = await client
      .run(EDIT, { ...parameters, count: 4 }, { quote: quote.quote })
      .catch((error: unknown) => error)
    assert.ok(isApiError(refused))
    assert.deepEqual([refused.status, refused.code], [402, "max_cost_exceeded"])
    assert.deepEqual(await client.balance(), {
      budget_micros: null,
      reserved_micros: quote.max_cost_micros,
      spent_micros: 0,
      left_micros: null,
    })
  })
})
