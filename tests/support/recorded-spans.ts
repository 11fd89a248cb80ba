/**
 * OpenTelemetry's own SDK, registered in this process, which keeps finished spans in memory. A file that uses
 * it has a process of its own.
 */
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
  type TracerConfig,
} from "@opentelemetry/sdk-trace-node"

export interface RecordedSpan {
  readonly name: string
  readonly kind: string
  readonly traceId: string
  readonly spanId: string
  /** Of the span that it is part of. */
  readonly parentId: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly name: string; readonly attributes: object }[]
  /** The traces that it is linked to. */
  readonly links: readonly string[]
  readonly isFailed: boolean
}

export interface RecordedSpans extends Disposable {
  /** In the order of their ends. */
  list(): readonly RecordedSpan[]
  /** Throws unless there is exactly one of the name. */
  one(name: string): RecordedSpan
  clear(): void
}

export function recordSpans(config: TracerConfig = {}): RecordedSpans {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [...(config.spanProcessors ?? []), new SimpleSpanProcessor(exporter)]
  new NodeTracerProvider({ ...config, spanProcessors }).register()
  const list = (): RecordedSpan[] => exporter.getFinishedSpans().map(toRecorded)
  return {
    list,
    one(name) {
      const found = list().filter((span) => span.name === name)
      if (found[0] !== undefined && found.length === 1) return found[0]
      throw new Error(
        `${found.length} spans are named ${name}: ${list()
          .map((each) => each.name)
          .join(", ")}`,
      )
    },
    clear: () => exporter.reset(),
    [Symbol.dispose]() {
      trace.disable()
      context.disable()
      propagation.disable()
    },
  }
}

/** Also of what a process of its own has written. */
export function toRecorded(span: ReadableSpan): RecordedSpan {
  const { traceId, spanId } = span.spanContext()
  return {
    name: span.name,
    kind: SpanKind[span.kind].toLowerCase(),
    traceId,
    spanId,
    parentId: span.parentSpanContext?.spanId,
    attributes: { ...span.attributes },
    events: span.events.map(({ name, attributes = {} }) => ({
      name,
      attributes: { ...attributes },
    })),
    links: span.links.map((link) => link.context.traceId),
    isFailed: span.status.code === SpanStatusCode.ERROR,
  }
}
