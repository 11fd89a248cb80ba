/** The tracer over OpenTelemetry's API: with a real SDK, with none, and with one that fails. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { diag, DiagLogLevel, trace } from "@opentelemetry/api"
import { NodeTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-node"
import { SafelightError, traceCall } from "@safelight/core"
import { createTracer } from "@safelight/tracing-opentelemetry"
import { recordSpans } from "../../support/recorded-spans.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SPAN = "b7ad6b7169203331"
const REMOTE = `00-${TRACE}-${SPAN}-01`

async function pause(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe("a tracer without an SDK", () => {
  it("records nothing, and runs the work", async () => {
    const tracer = createTracer()
    assert.equal(tracer.isRecording(), false)
    assert.equal(tracer.start({ name: "a", parent: REMOTE }), undefined)
    const seen = await traceCall(tracer, { name: "b", parent: REMOTE }, async (span) => {
      await pause()
      return [span, tracer.active()]
    })
    assert.deepEqual(seen, [undefined, undefined])
  })
})

describe("a tracer with an SDK", () => {
  it("may be made before the SDK is registered", () => {
    const tracer = createTracer()
    using spans = recordSpans()
    tracer.start({ name: "late" })?.end()
    assert.equal(spans.one("late").kind, "internal")
  })

  it("nests spans along the asynchronous flow, and not beside it", async () => {
    using spans = recordSpans()
    const tracer = createTracer()
    await Promise.all(
      ["a", "b"].map((name) =>
        traceCall(tracer, { name, kind: "server" }, async () => {
          await pause()
          await traceCall(tracer, { name: `${name} inner` }, pause)
        }),
      ),
    )
    for (const name of ["a", "b"]) {
      const outer = spans.one(name)
      const inner = spans.one(`${name} inner`)
      assert.deepEqual([inner.parentId, inner.traceId], [outer.spanId, outer.traceId])
      assert.deepEqual([outer.parentId, outer.kind], [undefined, "server"])
    }
    assert.notEqual(spans.one("a").traceId, spans.one("b").traceId)
  })

  it("continues a trace of another process, begins one, and never one that is not well formed", async () => {
    using spans = recordSpans()
    const tracer = createTracer()
    await traceCall(tracer, { name: "around" }, async () => {
      for (const [name, parent] of [
        ["continued", REMOTE],
        ["begun", null],
        ["nonsense", "00-nonsense"],
      ] as const) {
        tracer.start({ name, parent })?.end()
      }
    })
    const continued = spans.one("continued")
    assert.deepEqual([continued.traceId, continued.parentId], [TRACE, SPAN])
    for (const name of ["begun", "nonsense"]) {
      assert.equal(spans.one(name).parentId, undefined)
      assert.notEqual(spans.one(name).traceId, spans.one("around").traceId)
    }
  })

  it("does not record what another process has decided not to record, and passes that on", async () => {
    using spans = recordSpans()
    const tracer = createTracer()
    const unsampled = `00-${TRACE}-${SPAN}-00`
    const passedOn = await traceCall(
      tracer,
      { name: "a", parent: unsampled },
      async (span) => span?.traceparent,
    )
    assert.match(passedOn ?? "", new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
    assert.deepEqual(spans.list(), [])
  })

  it("notes what is told, and failures by their code without their words", async () => {
    using spans = recordSpans()
    const tracer = createTracer()
    const failing = [new SafelightError({ code: "aborted", message: "words" }), new Error("words")]
    for (const [index, error] of failing.entries()) {
      const call = traceCall(tracer, { name: `failing ${index}` }, async (span) => {
        span?.set({ count: 1, flag: true, list: ["a", "b"] })
        span?.addEvent("something", { of: "it" })
        span?.link(REMOTE)
        span?.link("nonsense")
        throw error
      })
      await assert.rejects(call, error)
    }
    const [ours, foreign] = [spans.one("failing 0"), spans.one("failing 1")]
    assert.deepEqual(ours.attributes, {
      count: 1,
      flag: true,
      list: ["a", "b"],
      "error.type": "aborted",
    })
    assert.deepEqual(ours.events, [{ name: "something", attributes: { of: "it" } }])
    assert.deepEqual([ours.links, ours.isFailed], [[TRACE], true])
    assert.equal(foreign.attributes["error.type"], "unexpected")
    assert.ok(!JSON.stringify(spans.list()).includes("words"))
  })

  it("sees the span of a host", async () => {
    using spans = recordSpans()
    const tracer = createTracer()
    await trace.getTracer("host").startActiveSpan("host", async (span) => {
      const active = tracer.active()
      assert.equal(active?.spanId, span.spanContext().spanId)
      assert.equal(active?.traceparent, `00-${active?.traceId}-${active?.spanId}-01`)
      await traceCall(tracer, { name: "ours" }, pause)
      span.end()
    })
    assert.equal(spans.one("ours").parentId, spans.one("host").spanId)
  })
})

describe("a tracer whose SDK fails", () => {
  const broken = (): never => {
    throw new Error("the SDK is broken")
  }
  const flush = async (): Promise<void> => {}
  const processor = { forceFlush: flush, shutdown: flush, onStart() {}, onEnd() {} }
  const cases: readonly [string, () => void][] = [
    ["at the start", () => register({ ...processor, onStart: broken })],
    ["at the end", () => register({ ...processor, onEnd: broken })],
    ["at all", () => void trace.setGlobalTracerProvider({ getTracer: broken })],
  ]

  function register(failing: SpanProcessor): void {
    new NodeTracerProvider({ spanProcessors: [failing] }).register()
  }

  for (const [when, fail] of cases) {
    it(`${when}: the work is done all the same, and OpenTelemetry's log has the reason`, async (t) => {
      using spans = recordSpans()
      trace.disable()
      const told: unknown[] = []
      const note = (...words: unknown[]): void => void told.push(words)
      const logger = { error: note, warn() {}, info() {}, debug() {}, verbose() {} }
      diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true })
      t.after(() => diag.disable())
      fail()
      const made = await traceCall(createTracer(), { name: "a" }, async (span) => {
        span?.set({ a: 1 })
        return "made"
      })
      assert.deepEqual([made, spans.list()], ["made", []])
      assert.match(String(told), /safelight: the SDK failed,Error: the SDK is broken/)
    })
  }
})
