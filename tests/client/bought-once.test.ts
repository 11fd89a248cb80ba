/**
 * Any course of a submission against a service that keeps keys as ours does: it may take a request and lose,
 * cut or garble its reply, or refuse it, or never get it. However it ends, one submission is at most one
 * task, and what the client says of it is true.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isApiError } from "@safelight/client"
import * as fc from "fast-check"
import { checkAsync } from "../core/support/property.ts"
import {
  ACCEPTED,
  createScriptedClient,
  cut,
  failWith,
  LOST,
  MODEL,
  page,
  PARAMETERS,
  refusal,
  type Answer,
} from "./scripted-client.ts"

interface Step {
  /** Whether the request reached the service, which made its task or found it. */
  readonly isTaken: boolean
  readonly reply: Answer
}

const TAKEN: readonly Answer[] = [
  ACCEPTED,
  LOST,
  cut(ACCEPTED, 0),
  cut(ACCEPTED, 40),
  page(502),
  page(504),
  page(503),
  page(200),
  refusal(500, "internal_error"),
  refusal(503, "outcome_unknown", { "retry-after": "5" }),
  failWith("ECONNRESET"),
]

const NOT_TAKEN: readonly Answer[] = [
  LOST,
  failWith("ECONNREFUSED"),
  failWith("ENOTFOUND"),
  page(502),
  page(404),
  refusal(500, "internal_error"),
  refusal(503, "overloaded", { "retry-after": "1" }),
  refusal(503, "outcome_unknown"),
  refusal(429, "rate_limit_exceeded", { "retry-after": "1" }),
  refusal(429, "concurrency_limit_exceeded", { "retry-after": "600" }),
  refusal(409, "idempotency_key_in_use", { "retry-after": "1" }),
  refusal(402, "insufficient_balance"),
  refusal(401, "api_key_revoked"),
]

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(...TAKEN).map((reply) => ({ isTaken: true, reply })),
  fc.constantFrom(...NOT_TAKEN).map((reply) => ({ isTaken: false, reply })),
)

describe("a submission, whatever happens to it", () => {
  it("is one task at most, and ends as what it is", async (t) => {
    const seen = new Set<string>()
    const property = fc.asyncProperty(
      fc.array(STEP, { minLength: 1, maxLength: 6 }),
      async (steps) => {
        const tasks = new Set<string | null>()
        const answers = steps.map(({ isTaken, reply }): Answer => (request) => {
          if (isTaken) tasks.add(request.headers.get("idempotency-key"))
          return reply(request)
        })
        const { client } = createScriptedClient(answers)
        const end = await client.submit(MODEL, PARAMETERS).then(
          () => "accepted",
          (error: unknown) => (isApiError(error) ? error.code : assert.fail(String(error))),
        )
        assert.ok(tasks.size <= 1, `${tasks.size} tasks`)
        if (end === "accepted") assert.equal(tasks.size, 1)
        else if (end !== "outcome_unknown") assert.equal(tasks.size, 0, `a task after ${end}`)
        seen.add(end)
      },
    )
    await checkAsync(t, property, 500)
    // Else the property would hold of nothing.
    for (const end of ["accepted", "outcome_unknown", "insufficient_balance"]) {
      assert.ok(seen.has(end), `none ended as ${end}`)
    }
  })
})
