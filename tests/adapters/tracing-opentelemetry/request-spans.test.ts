/** The spans of requests, in process and over a socket: what they tell, and what a caller can't make them tell. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { trace } from "@opentelemetry/api"
import { createTracer } from "@safelight/tracing-opentelemetry"
import { recordSpans, type RecordedSpan } from "../../support/recorded-spans.ts"
import { ACCOUNT } from "../http/fake-storage.ts"
import { creation, createWorld, WORLDS } from "../http/worlds.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SPAN = "b7ad6b7169203331"
const REMOTE = `00-${TRACE}-${SPAN}-01`
const TASK = "018f4c1e-0000-7000-8000-000000000000"

async function open(kind: (typeof WORLDS)[number]) {
  const world = await createWorld(kind, { tracer: createTracer() })
  return { ...world, [Symbol.asyncDispose]: () => world.close() }
}

for (const kind of WORLDS) {
  describe(`a request, ${kind},`, () => {
    it("is a span that is named after its route, with its answer", async () => {
      using spans = recordSpans()
      await using world = await open(kind)
      const response = await world.call("/v1/tasks", creation())
      assert.equal(response.status, 202)
      const span = spans.one("POST /v1/tasks")
      const {
        "safelight.task.id": task,
        "http.response.body.size": size,
        ...rest
      } = span.attributes
      assert.deepEqual(rest, {
        "http.request.method": "POST",
        "http.route": "/v1/tasks",
        "http.response.status_code": 202,
        "url.scheme": "http",
        "safelight.account": ACCOUNT,
        "safelight.request.id": response.headers.get("x-request-id"),
      })
      const text = await response.text()
      assert.deepEqual(
        [task, size],
        [(JSON.parse(text) as { task_id: string }).task_id, text.length],
      )
      assert.deepEqual([span.kind, span.isFailed, span.parentId], ["server", false, undefined])
    })

    it("is what its handler works in, also behind a body", async () => {
      using spans = recordSpans()
      await using world = await open(kind)
      const seen: (string | undefined)[] = []
      const { service } = world.fake
      const submit = service.submit.bind(service)
      service.submit = async (request) => {
        seen.push(createTracer().active()?.spanId)
        return submit(request)
      }
      await world.call("/v1/tasks", creation())
      assert.deepEqual(seen, [spans.one("POST /v1/tasks").spanId])
    })

    it("continues the trace that its caller names, if that is well formed", async () => {
      using spans = recordSpans()
      await using world = await open(kind)
      const parents: (string | undefined)[] = []
      for (const traceparent of [REMOTE, `${REMOTE}, ${REMOTE}`, "nonsense", "0".repeat(7_000)]) {
        spans.clear()
        await world.call("/v1/usage", {
          headers: { traceparent, tracestate: "a=b", baggage: "c=d" },
        })
        const { parentId, traceId } = spans.one("GET /v1/usage")
        assert.equal(traceId === TRACE, parentId !== undefined)
        parents.push(parentId)
      }
      assert.deepEqual(parents, [SPAN, undefined, undefined, undefined])
    })

    it("tells nothing that its caller chose", async () => {
      using spans = recordSpans()
      await using world = await open(kind)
      await world.bare(`/v1/tasks/secret-path/artifacts/image_1/content?access=secret-token`)
      await world.call(`/v1/tasks/${TASK}`, { headers: { "user-agent": "secret-agent" } })
      await world.call(`/v1/tasks?model=secret-model`)
      const told = JSON.stringify(spans.list())
      assert.ok(!told.includes("secret"), told)
      const names = spans.list().map(({ name }) => name)
      assert.deepEqual(names, [
        "GET /v1/tasks/:task/artifacts/:key/content",
        "GET /v1/tasks/:task",
        "GET /v1/tasks",
      ])
    })

    it("fails only where the server does", async () => {
      using spans = recordSpans()
      await using world = await open(kind)
      const outcome = ({ attributes, isFailed }: RecordedSpan): unknown[] => [
        attributes["http.response.status_code"],
        attributes["error.type"],
        isFailed,
      ]
      await world.bare("/v1/usage")
      assert.deepEqual(outcome(spans.one("GET /v1/usage")), [401, undefined, false])
      world.fake.service.findTask = async () => {
        throw new Error("a bug")
      }
      await world.call(`/v1/tasks/${TASK}`)
      assert.deepEqual(outcome(spans.one("GET /v1/tasks/:task")), [500, "500", true])
    })

    it("is no span where a machine asks for health, or the path is unknown", async () => {
      using spans = recordSpans()
      await using world = await open(kind)
      for (const path of ["/healthz", "/readyz", "/nowhere"]) await world.bare(path)
      assert.deepEqual(spans.list(), [])
    })
  })
}

describe("a request in a span of the host", () => {
  it("belongs to that, whatever its caller names", async () => {
    using spans = recordSpans()
    await using world = await open("in process")
    await trace.getTracer("host").startActiveSpan("host", async (span) => {
      await world.call("/v1/usage", { headers: { traceparent: REMOTE } })
      span.end()
    })
    assert.equal(spans.one("GET /v1/usage").parentId, spans.one("host").spanId)
  })
})
