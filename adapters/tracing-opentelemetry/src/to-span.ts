/** Spans of an SDK, as our port has them. */
import {
  context,
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type Context,
  type Span as SdkSpan,
} from "@opentelemetry/api"
import {
  formatTraceparent,
  parseTraceparent,
  type ActiveSpan,
  type Span,
  type SpanAttributes,
} from "@safelight/core"
import { guard } from "./guard.ts"

export function toActiveSpan(span: SdkSpan): ActiveSpan {
  const { spanId, traceFlags, traceId } = span.spanContext()
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0
  return {
    traceId,
    spanId,
    traceparent: formatTraceparent({ traceId, spanId, isSampled }),
    set: (attributes) => void guard(() => span.setAttributes(toAttributes(attributes))),
    addEvent: (name, attributes) => void guard(() => span.addEvent(name, toAttributes(attributes))),
    link(traceparent) {
      const linked = parseTraceparent(traceparent)
      if (linked === undefined) return
      const { isSampled: isLinkSampled, ...ids } = linked
      const flags = isLinkSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
      guard(() => span.addLink({ context: { ...ids, traceFlags: flags, isRemote: true } }))
    },
  }
}

/** `around` is the context in which the span is the active one. */
export function toSpan(span: SdkSpan, around: Context): Span {
  return {
    ...toActiveSpan(span),
    run: (work) => context.with(around, work),
    fail(code) {
      guard(() => span.setAttribute("error.type", code))
      guard(() => span.setStatus({ code: SpanStatusCode.ERROR, message: code }))
    },
    end() {
      guard(() => span.end())
    },
  }
}

/** The SDK's type asks for lists that may be changed. */
function toAttributes(attributes: SpanAttributes): Attributes {
  return attributes as Attributes
}
