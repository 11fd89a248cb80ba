/**
 * Submissions against every kind of answer: what is sent again and when, and that whatever happens one
 * submission has one idempotency key.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { inspect } from "node:util"
import { ApiError, isApiError, jsonText } from "@safelight/client"
import {
  ACCEPTED,
  createScriptedClient,
  cut,
  failWith,
  ID,
  json,
  KEY,
  LOST,
  MODEL,
  page,
  PARAMETERS,
  refusal,
  SILENT,
  type Answer,
  type SentRequest,
} from "./scripted-client.ts"

const TRIES = 5

async function fails(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => assert.fail("it did not fail"),
    (thrown: unknown) => thrown,
  )
  assert.ok(isApiError(error), String(error))
  return error
}

function listKeys(requests: readonly SentRequest[]): Set<string | null> {
  return new Set(requests.map(({ headers }) => headers.get("idempotency-key")))
}

describe("a submission", () => {
  it("sends model and parameters below the address, with the key and an idempotency key", async () => {
    const { client, requests } = createScriptedClient([ACCEPTED])
    const task = await client.submit(MODEL, PARAMETERS)
    assert.equal(task.task_id, ID)
    const [sent] = requests
    assert.equal(`${sent?.method} ${sent?.target}`, "POST /v1/tasks")
    assert.equal(sent?.headers.get("authorization"), `Bearer ${KEY}`)
    assert.equal(sent.headers.get("content-type"), "application/json")
    assert.match(sent.headers.get("idempotency-key") ?? "", /^[0-9a-f]{32}$/)
    assert.deepEqual(JSON.parse(sent.body ?? ""), { model: MODEL, parameters: PARAMETERS })
  })

  it("carries its labels in a header, quoted so that the service reads each as it was", async () => {
    const { client, requests } = createScriptedClient([ACCEPTED])
    await client.submit(MODEL, PARAMETERS)
    await client.submit(MODEL, PARAMETERS, { labels: {} })
    const labels = { project: "spring", name: ' "Dupont", \\ Paris ', empty: "" }
    await client.submit(MODEL, PARAMETERS, { labels })
    assert.deepEqual(
      requests.map(({ headers }) => headers.get("safelight-label")),
      [null, null, String.raw`project="spring", name=" \"Dupont\", \\ Paris ", empty=""`],
    )
    for (const wrong of [{ "a,b": "" }, { "a=b": "" }, { "": "" }, { k: "é" }, { k: "a\nb" }]) {
      await assert.rejects(client.submit(MODEL, PARAMETERS, { labels: wrong }), TypeError)
    }
    assert.equal(requests.length, 3)
  })

  it("has an idempotency key of its own each time, unless the caller gives one", async () => {
    const { client, requests } = createScriptedClient([ACCEPTED])
    await client.submit(MODEL, PARAMETERS)
    await client.submit(MODEL, PARAMETERS)
    assert.equal(listKeys(requests).size, 2)
    await client.submit(MODEL, PARAMETERS, { idempotencyKey: "order 7" })
    assert.equal(requests[2]?.headers.get("idempotency-key"), "order 7")
  })

  it("sends JSON text as it is written, and refuses what is no JSON without showing it", async () => {
    const { client, requests } = createScriptedClient([ACCEPTED])
    await client.submit(MODEL, jsonText('{"n":4.0,"n":12345678901234567890}'))
    const body = `{"model":"${MODEL}","parameters":{"n":4.0,"n":12345678901234567890}}`
    assert.equal(requests[0]?.body, body)
    assert.throws(
      () => jsonText("secret"),
      ({ name, message }: Error) => {
        assert.equal(name, "TypeError")
        return !message.includes("secret")
      },
    )
  })

  it("is not sent with an idempotency key that the service would not take", async () => {
    const { client, requests } = createScriptedClient([ACCEPTED])
    for (const idempotencyKey of ["", "a\n", "é", "x".repeat(256)]) {
      const sent = client.submit(MODEL, PARAMETERS, { idempotencyKey })
      await assert.rejects(sent, { name: "TypeError", message: /^idempotencyKey: / })
    }
    assert.equal(requests.length, 0)
  })

  const passing: readonly (readonly [name: string, answer: Answer, pauseMs: number])[] = [
    ["429", refusal(429, "rate_limit_exceeded", { "retry-after": "7" }), 7_000],
    ["429 of unfinished tasks", refusal(429, "concurrency_limit_exceeded"), 250],
    ["503 of load", refusal(503, "overloaded", { "retry-after": "30" }), 30_000],
    [
      "503 until a date",
      refusal(503, "service_unavailable", {
        "retry-after": "Sun, 06 Nov 1994 08:49:41 GMT",
      }),
      4_000,
    ],
    [
      "503 with a Retry-After of nonsense",
      refusal(503, "overloaded", { "retry-after": "soon" }),
      250,
    ],
    ["503 of an unknown outcome", refusal(503, "outcome_unknown", { "retry-after": "5" }), 5_000],
    ["408", refusal(408, "request_timeout"), 250],
    [
      "409 of its own earlier try",
      refusal(409, "idempotency_key_in_use", { "retry-after": "1" }),
      1_000,
    ],
    ["500", refusal(500, "internal_error"), 250],
    ["a proxy's 502", page(502), 250],
    ["a proxy's 503", page(503, { "retry-after": "2" }), 2_000],
    ["a proxy's 504", page(504), 250],
    ["a reply that is lost", LOST, 250],
    ["a connection that is refused", failWith("ECONNREFUSED"), 250],
    ["a reply that breaks off", cut(ACCEPTED, 20), 250],
    ["a 202 with a proxy's page", page(202), 250],
    ["a 202 without a task", json(202, { id: 1 }), 250],
    ["an error body that breaks off", cut(refusal(500, "internal_error"), 9), 250],
  ]
  for (const [name, answer, pauseMs] of passing) {
    it(`is sent again after ${name}, with the same key, no sooner than asked`, async () => {
      const { client, requests, clock } = createScriptedClient([answer, ACCEPTED])
      const task = await client.submit(MODEL, PARAMETERS)
      assert.equal(task.task_id, ID)
      assert.equal(requests.length, 2)
      assert.equal(listKeys(requests).size, 1)
      assert.equal(requests[1]?.body, requests[0]?.body)
      assert.deepEqual(clock.pausesMs, [pauseMs])
    })
  }

  const final: readonly (readonly [name: string, answer: Answer, status: number, code: string])[] =
    [
      ["400", refusal(400, "invalid_value"), 400, "invalid_value"],
      ["401", refusal(401, "invalid_api_key"), 401, "invalid_api_key"],
      ["402", refusal(402, "insufficient_balance"), 402, "insufficient_balance"],
      ["403", refusal(403, "insufficient_scope"), 403, "insufficient_scope"],
      ["404 of a proxy", page(404), 404, "unexpected_status"],
      ["413", refusal(413, "request_too_large"), 413, "request_too_large"],
      ["415", refusal(415, "unsupported_media_type"), 415, "unsupported_media_type"],
      ["422", refusal(422, "idempotency_key_reused"), 422, "idempotency_key_reused"],
      [
        "a redirect",
        json(307, {}, { location: "https://elsewhere.example/" }),
        307,
        "invalid_answer",
      ],
      ["a redirect of a POST to a GET", json(303, {}, { location: "/" }), 303, "invalid_answer"],
    ]
  for (const [name, answer, status, code] of final) {
    it(`is sent once if the answer is ${name}`, async () => {
      const { client, requests } = createScriptedClient([answer, ACCEPTED])
      const error = await fails(client.submit(MODEL, PARAMETERS))
      assert.deepEqual([error.status, error.code, error.isRetryable], [status, code, false])
      assert.equal(requests.length, 1)
      assert.equal(error.idempotencyKey, requests[0]?.headers.get("idempotency-key"))
    })
  }

  const doubtful: readonly (readonly [name: string, answer: Answer])[] = [
    ["replies that are lost", LOST],
    ["replies that break off", cut(ACCEPTED, 20)],
    ["a proxy's pages", page(502)],
    ["faults of the service", refusal(500, "internal_error")],
    ["outcomes that the service does not know", refusal(503, "outcome_unknown")],
    ["a 503 that a proxy made", page(503)],
    ["answers without a task", json(202, {})],
  ]
  for (const [name, answer] of doubtful) {
    it(`that meets nothing but ${name} ends as unknown and tells its key`, async () => {
      const { client, requests } = createScriptedClient([answer])
      const error = await fails(client.submit(MODEL, PARAMETERS))
      assert.equal(error.code, "outcome_unknown")
      assert.equal(error.type, "api_error")
      assert.equal(requests.length, TRIES)
      assert.deepEqual([...listKeys(requests)], [error.idempotencyKey])
      assert.ok(isApiError(error.cause))
    })
  }

  const undone: readonly (readonly [name: string, answer: Answer, code: string])[] = [
    ["the service's own 503", refusal(503, "overloaded"), "overloaded"],
    ["429", refusal(429, "rate_limit_exceeded"), "rate_limit_exceeded"],
    ["connections that are refused", failWith("ECONNREFUSED"), "no_answer"],
    ["a certificate that nobody trusts", failWith("DEPTH_ZERO_SELF_SIGNED_CERT"), "no_answer"],
  ]
  for (const [name, answer, code] of undone) {
    it(`that meets nothing but ${name} ends as that: no task was made`, async () => {
      const { client, requests } = createScriptedClient([answer])
      const error = await fails(client.submit(MODEL, PARAMETERS))
      assert.equal(error.code, code)
      assert.equal(error.isRetryable, true)
      assert.equal(requests.length, TRIES)
    })
  }

  it("stays unknown after a lost reply, whatever is refused later", async () => {
    for (const later of [refusal(401, "api_key_revoked"), refusal(503, "overloaded"), page(404)]) {
      const { client } = createScriptedClient([LOST, later])
      const error = await fails(client.submit(MODEL, PARAMETERS))
      assert.equal(error.code, "outcome_unknown")
      assert.match(error.message, /may be billed/)
    }
  })

  it("is not sent again if the service says so, and ends as unknown", async () => {
    const answer = refusal(503, "outcome_unknown", { "x-should-retry": "false" })
    const { client, requests } = createScriptedClient([answer, ACCEPTED])
    const error = await fails(client.submit(MODEL, PARAMETERS))
    assert.equal(error.code, "outcome_unknown")
    assert.equal(requests.length, 1)
  })

  it("hands on a refusal that asks for a longer pause than is waited for", async () => {
    const answer = refusal(429, "rate_limit_exceeded", { "retry-after": "3600" })
    const { client, requests, clock } = createScriptedClient([answer, ACCEPTED])
    const error = await fails(client.submit(MODEL, PARAMETERS))
    assert.equal(error.retryAfterMs, 3_600_000)
    assert.equal(requests.length, 1)
    assert.deepEqual(clock.pausesMs, [])
  })

  it("makes its pauses longer and spreads them", async () => {
    const still = createScriptedClient([page(502)], { settings: { tries: 9 } })
    await fails(still.client.submit(MODEL, PARAMETERS))
    const expected = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]
    assert.deepEqual(still.clock.pausesMs, expected)
    const spread = createScriptedClient([page(502)], { random: () => 0.999 })
    await fails(spread.client.submit(MODEL, PARAMETERS))
    assert.deepEqual(spread.clock.pausesMs, [500, 1_000, 1_999, 3_998])
  })

  it("is sent again when the service stays silent, and ends as unknown if it never speaks", async () => {
    // One `fetch` that minds its signal, and one that does not.
    for (const never of [SILENT, () => new Promise<Response>(() => {})]) {
      const { client, requests, clock } = createScriptedClient([never])
      const failed = fails(client.submit(MODEL, PARAMETERS))
      clock.hurry()
      assert.equal((await failed).code, "outcome_unknown")
      assert.equal(requests.length, TRIES)
      assert.ok(requests.every(({ signal }) => signal.aborted))
    }
  })
})

describe("an error", () => {
  it("has the specification's code, type, parameter, status and request id", async () => {
    const answer = refusal(400, "integer_above_max_value", {}, { param: "parameters.count" })
    const { client } = createScriptedClient([answer])
    const error = await fails(client.submit(MODEL, PARAMETERS))
    assert.ok(error instanceof ApiError)
    const { code, type, param, status, requestId, message, details } = error
    assert.deepEqual(
      { code, type, param, status, requestId, message, details },
      {
        code: "integer_above_max_value",
        type: "some_error",
        param: "parameters.count",
        status: 400,
        requestId: "req_1",
        message: "words of integer_above_max_value",
        details: [],
      },
    )
  })

  it("lists the parameters at fault if they are several, and nothing else", async () => {
    const fault = { param: "parameters.a", code: "invalid_type", message: "must be …" }
    const answer = refusal(400, "invalid_type", {}, { details: [fault, { param: 1 }, null] })
    const { client } = createScriptedClient([answer])
    const error = await fails(client.submit(MODEL, PARAMETERS))
    assert.deepEqual(error.details, [fault])
    assert.equal(error.param, undefined)
  })

  it("never holds the API key", async () => {
    for (const answer of [refusal(401, "invalid_api_key"), LOST, page(500)]) {
      const { client } = createScriptedClient([answer])
      const error = await fails(client.submit(MODEL, PARAMETERS))
      assert.ok(!inspect(error, { depth: 9 }).includes(KEY))
    }
  })

  it("of a body that is no error body is known by its status", async () => {
    const bodies = ["", "null", "[]", '{"error":null}', '{"error":{"code":1}}', '"text"', "\u0000"]
    for (const body of bodies) {
      const { client } = createScriptedClient([() => new Response(body, { status: 418 })])
      const { code, status, type } = await fails(client.submit(MODEL, PARAMETERS))
      assert.deepEqual([code, status, type], ["unexpected_status", 418, "client_error"], body)
    }
  })
})
