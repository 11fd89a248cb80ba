/** The account's charges, page by page: what is asked for, and what is taken for an answer. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { StatementQuery, UsageStatement } from "@safelight/client"
import { createScriptedClient, fails, json, refusal, type Answer } from "./scripted-client.ts"

function pageOf(cursor: string | null, ...ids: readonly string[]): Answer {
  const charges = ids.map((id) => ({ task_id: id, model: "m", ended_at: 5, charge_micros: 7 }))
  return json(200, { from: 0, to: 9, charges, next_cursor: cursor })
}

async function read(
  answers: readonly Answer[],
  query?: StatementQuery,
): Promise<{ readonly ids: readonly (readonly string[])[]; readonly targets: readonly string[] }> {
  const { client, requests } = createScriptedClient(answers)
  const ids: string[][] = []
  for await (const { charges } of client.statement(query)) {
    ids.push(charges.map(({ task_id: id }) => id))
  }
  return { ids, targets: requests.map(({ target }) => target) }
}

describe("a statement", () => {
  it("is asked for page by page until its end", async () => {
    const { ids, targets } = await read([pageOf("a", "1", "2"), pageOf("b"), pageOf(null, "3")], {
      month: "2026-11",
      proofs: true,
      limit: 2,
    })
    assert.deepEqual(ids, [["1", "2"], [], ["3"]])
    const path = "/v1/usage/statement?month=2026-11&proofs=true&limit=2"
    assert.deepEqual(targets, [path, `${path}&cursor=a`, `${path}&cursor=b`])
  })

  it("asks for no proofs unless they are wanted", async () => {
    const { targets } = await read([pageOf(null)], { from: 1, to: 2, proofs: false })
    assert.deepEqual(targets, ["/v1/usage/statement?from=1&to=2"])
    assert.deepEqual((await read([pageOf(null)])).targets, ["/v1/usage/statement"])
  })

  it("waits while the account has as many pages read as it may", async () => {
    const busy = refusal(429, "concurrency_limit_exceeded", { "retry-after": "2" })
    const { ids, targets } = await read([busy, pageOf(null, "1")])
    assert.deepEqual([ids, targets.length], [[["1"]], 2])
  })

  it("fetches a page only when it is needed", async () => {
    const { client, requests } = createScriptedClient([pageOf("a", "1"), pageOf(null, "2")])
    const pages = client.statement()
    assert.equal(requests.length, 0)
    const { value } = (await pages.next()) as { value: UsageStatement }
    assert.deepEqual([value.charges.length, requests.length], [1, 1])
  })

  it("ends with an error where a page leads back to itself, or is none", async () => {
    assert.equal((await fails(read([pageOf("a", "1"), pageOf("a", "1")]))).code, "invalid_answer")
    const charge = { task_id: "1", model: "m", ended_at: 5, charge_micros: 7 }
    const whole = { from: 0, to: 9, charges: [charge], next_cursor: null }
    for (const body of [
      {},
      { ...whole, charges: {} },
      { ...whole, next_cursor: 1 },
      { ...whole, to: "9" },
      { ...whole, charges: [{ ...charge, task_id: 1 }] },
      { ...whole, charges: [{ ...charge, charge_micros: 0.5 }] },
      { ...whole, charges: [{ ...charge, ended_at: null }] },
    ]) {
      const { client, requests } = createScriptedClient([json(200, body)])
      assert.equal((await fails(client.statement().next())).code, "invalid_answer")
      assert.equal(requests.length, 5)
    }
  })
})
