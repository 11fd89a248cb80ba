/**
 * The tracer over OpenTelemetry's API. The SDK is the host's, who registers one at any time or none; without
 * one nothing is recorded. A purchase must not fail because of its span: what an SDK throws goes to the API's
 * own diagnostic log.
 */
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  type Context,
  type Tracer as SdkTracer,
  type TracerProvider,
} from "@opentelemetry/api"
import { parseTraceparent, type SpanStart, type Tracer } from "@safelight/core"
import { guard, guardLater } from "./guard.ts"
import { toActiveSpan, toSpan } from "./to-span.ts"

/** The scope of the spans, by which a backend tells them from those of other libraries. */
const SCOPE = "safelight"

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

export interface OpenTelemetryTracer extends Tracer {
  /**
   * Has the SDK send what it keeps, as a process must before it ends. Resolves once that is done or has failed,
   * which may take as long as the SDK lets it.
   */
  flush(): Promise<void>
}

/** Every one uses the SDK that the process has registered; it may be made before that. */
export function createTracer(): OpenTelemetryTracer {
  return {
    isRecording: () => findTracer() !== undefined,
    start(start) {
      const tracer = findTracer()
      if (tracer === undefined) return undefined
      const parent = toParent(start)
      const span = guard(() => tracer.startSpan(start.name, toOptions(start), parent))
      return span && toSpan(span, trace.setSpan(parent, span))
    },
    active() {
      const span = trace.getActiveSpan()
      return span && trace.isSpanContextValid(span.spanContext()) ? toActiveSpan(span) : undefined
    },
    flush: () => guardLater(flushSdk),
  }
}

/** The registered provider stands behind a proxy of the API, which makes spans of nothing without one. */
type Provider = TracerProvider & {
  getDelegateTracer?(scope: string): SdkTracer | undefined
  getDelegate?(): TracerProvider
}

/** Every SDK's provider has it, and the API's type does not. */
type FlushedProvider = TracerProvider & { forceFlush?(): Promise<void> }

async function flushSdk(): Promise<void> {
  const provider: Provider = trace.getTracerProvider()
  const sdk: FlushedProvider = provider.getDelegate?.() ?? provider
  await sdk.forceFlush?.()
}

function findTracer(): SdkTracer | undefined {
  const provider: Provider = trace.getTracerProvider()
  if (provider.getDelegateTracer !== undefined)
    return guard(() => provider.getDelegateTracer?.(SCOPE))
  return guard(() => provider.getTracer(SCOPE))
}

function toOptions({ attributes, kind = "internal" }: SpanStart): object {
  return { kind: KINDS[kind], attributes }
}

function toParent({ parent }: SpanStart): Context {
  if (parent === undefined) return context.active()
  const remote = parent === null ? undefined : parseTraceparent(parent)
  if (remote === undefined) return ROOT_CONTEXT
  const { isSampled, spanId, traceId } = remote
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
