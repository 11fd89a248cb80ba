/** Streams over as many connections as it takes: what is asked for, what is told, and what ends them. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate } from "node:timers/promises"
import { isApiError, type ResetMessage, type TaskMessage } from "@safelight/client"
import {
  createScriptedClient,
  cut,
  failWith,
  ID,
  json,
  page,
  refusal,
  SUCCEEDED,
  toTask,
  type Answer,
} from "./scripted-client.ts"

function stream(...blocks: readonly string[]): Answer {
  const text = `retry: 700\n\n${blocks.map((block) => `${block}\n\n`).join("")}`
  return () => new Response(text, { headers: { "content-type": "text/event-stream" } })
}

function message(id: string, type = "task.progressed", task = toTask("running", 10)): string {
  const data = JSON.stringify({ type, timestamp: "2026-01-01T00:00:00.000Z", data: task })
  return `id: ${id}\nevent: ${type}\ndata: ${data}`
}

const READY = "id: f:0\nevent: ready\ndata: {}"

async function take(
  messages: AsyncIterable<TaskMessage | ResetMessage>,
  count: number,
): Promise<string[]> {
  const seen: string[] = []
  for await (const { id, type } of messages) {
    seen.push(`${id} ${type}`)
    if (seen.length === count) break
  }
  return seen
}

describe("a stream", () => {
  it("gives each message once, over connections that end and break", async () => {
    // In the middle of the second message.
    const broken = cut(stream(message("f:2"), message("f:3")), message("f:2").length + 100)
    const { client, clock, requests } = createScriptedClient([
      stream(READY, ":", message("f:1")),
      failWith("ECONNREFUSED"),
      broken,
      stream(message("f:3"), message("f:4")),
    ])
    const seen = await take(client.stream(), 4)
    assert.deepEqual(
      seen,
      ["f:1", "f:2", "f:3", "f:4"].map((id) => `${id} task.progressed`),
    )
    assert.deepEqual(
      requests.map(({ target, headers }) => `${target} ${headers.get("last-event-id")}`),
      ["/v1/stream null", "/v1/stream f:1", "/v1/stream f:1", "/v1/stream f:2"],
    )
    assert.equal(requests[0]?.headers.get("accept"), "text/event-stream")
    assert.ok(clock.pausesMs.includes(700), "as long as the service says")
  })

  it("goes on behind the first position, though nothing had come", async () => {
    const { client, requests } = createScriptedClient([stream(READY), stream(message("f:1"))])
    assert.deepEqual(await take(client.stream(), 1), ["f:1 task.progressed"])
    assert.equal(requests[1]?.headers.get("last-event-id"), "f:0")
  })

  it("begins behind the message that it is told", async () => {
    const { client, requests } = createScriptedClient([stream(message("f:8"))])
    await take(client.stream({ after: "f:7" }), 1)
    assert.equal(requests[0]?.headers.get("last-event-id"), "f:7")
  })

  it("says where something may be missing", async () => {
    const reset = "id: g:5\nevent: reset\ndata: {}"
    const { client } = createScriptedClient([stream(reset, message("g:6"))])
    const seen = await take(client.stream({ after: "f:7" }), 2)
    assert.deepEqual(seen, ["g:5 reset", "g:6 task.progressed"])
  })

  it("of a task ends with it", async () => {
    const { client, requests } = createScriptedClient([
      stream(message("1", "task.submitted", toTask("queued", 0))),
      stream(message("2", "task.succeeded", SUCCEEDED), message("3", "task.expired", SUCCEEDED)),
    ])
    const seen = await take(client.streamTask(ID), 9)
    assert.deepEqual(seen, ["1 task.submitted", "2 task.succeeded"])
    assert.deepEqual(
      requests.map(({ target }) => target),
      [`/v1/tasks/${ID}/stream`, `/v1/tasks/${ID}/stream`],
    )
  })

  it("of a task that was told of to its end is empty", async () => {
    const { client } = createScriptedClient([() => new Response(null, { status: 204 })])
    assert.deepEqual(await take(client.streamTask(ID, { after: "4" }), 9), [])
  })

  const WRONG: readonly (readonly [string, Answer, string])[] = [
    ["the key may not read", refusal(403, "insufficient_scope"), "insufficient_scope"],
    ["a proxy answers with a page", page(200), "invalid_answer"],
    ["the service has no streams", refusal(404, "route_not_found"), "route_not_found"],
    ["an answer is JSON", json(200, {}), "invalid_answer"],
    ["a message is none", stream("id: 1\nevent: task.failed\ndata: {}"), "invalid_answer"],
    ["a message is no JSON", stream("id: 1\nevent: task.failed\ndata: {"), "invalid_answer"],
    ["a message has no end", stream(`data: ${"x".repeat(17 * 2 ** 20)}`), "invalid_answer"],
  ]
  for (const [what, answer, code] of WRONG) {
    it(`rejects where ${what}`, async () => {
      const { client } = createScriptedClient([answer])
      await assert.rejects(take(client.stream(), 1), (error) => {
        assert.ok(isApiError(error), String(error))
        assert.equal(error.code, code)
        return true
      })
    })
  }

  it("whose service is silent is opened again", async () => {
    const silent: Answer = () =>
      new Response(new ReadableStream({ start() {} }), {
        headers: { "content-type": "text/event-stream" },
      })
    const { client, clock } = createScriptedClient([silent, stream(message("f:1"))])
    const seen = take(client.stream(), 1)
    // The answer has begun by then: it is its body that is silent.
    await setImmediate()
    await clock.endSilence()
    assert.deepEqual(await seen, ["f:1 task.progressed"])
  })

  it("ends with its signal, also in a pause", async () => {
    const controller = new AbortController()
    const { client } = createScriptedClient([stream(READY)], {
      clock: {
        now: () => 0,
        async wait(ms, signal) {
          if (ms === 700) controller.abort(new Error("enough"))
          signal?.throwIfAborted()
          await new Promise(() => {})
        },
      },
    })
    await assert.rejects(take(client.stream({ signal: controller.signal }), 1), /enough/)
  })
})
