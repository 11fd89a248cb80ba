/**
 * What an operator's `NODE_OPTIONS=--import=…` loads: an SDK that writes each finished span as a line of the
 * file that `SPANS_FILE` names. It sends them late, as an exporter of a network does.
 */
import { appendFileSync } from "node:fs"
import process from "node:process"
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-node"
import { toRecorded } from "../../support/recorded-spans.ts"

const file = process.env["SPANS_FILE"] ?? ""

const exporter: SpanExporter = {
  export(spans: ReadableSpan[], done) {
    const lines = spans.map((span) => `${JSON.stringify(toRecorded(span))}\n`)
    appendFileSync(file, lines.join(""))
    done({ code: 0 })
  },
  shutdown: async () => {},
}

const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 3_600_000 })
new NodeTracerProvider({ spanProcessors: [processor] }).register()
