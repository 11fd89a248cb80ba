/**
 * Tracing: what a request or a task spent its time on, as spans that belong together across processes. The
 * active span follows the asynchronous flow by itself, so nobody passes it on by hand. A span holds ids,
 * names, codes, sizes and counts; never a prompt, a URL, a key or a token. What can't be traced is done all
 * the same: no method throws.
 */
export interface Tracer {
  /**
   * Begins a span; the caller ends it. Undefined while nobody records spans, as in most services: then
   * nothing is written down, stored or sent.
   */
  start(start: SpanStart): Span | undefined
  /** The span that the caller runs in, be it of a host's own. */
  active(): ActiveSpan | undefined
  /** Whether spans are recorded now; a caller asks before it does any work for them. */
  isRecording(): boolean
}

export interface SpanStart {
  /** Few different ones: no id, no path. */
  readonly name: string
  /** `internal` by default. */
  readonly kind?: "internal" | "server" | "client" | "producer" | "consumer"
  /** A `traceparent`; null: it begins a trace. The active span by default. */
  readonly parent?: string | null
  readonly attributes?: SpanAttributes
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface ActiveSpan {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** Its context as W3C Trace Context writes it, for another process to continue the trace. */
  readonly traceparent: string
  set(attributes: SpanAttributes): void
  addEvent(name: string, attributes: SpanAttributes): void
  /** Says that this span is about the trace of `traceparent` as well. */
  link(traceparent: string): void
}

export interface Span extends ActiveSpan {
  /** Runs `work` with this span as the active one. */
  run<Result>(work: () => Result): Result
  /** `code` is one of our codes or an HTTP status. */
  fail(code: string): void
  end(): void
}

/** Of a host that traces nothing. */
export const NO_TRACER: Tracer = {
  start: () => undefined,
  active: () => undefined,
  isRecording: () => false,
}
