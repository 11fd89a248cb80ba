/** A call with a span around it, if there is a tracer. If nothing is recorded, it is the call alone. */
import type { Span, SpanStart, Tracer } from "../ports/tracer.ts"
import { isSafelightError } from "../errors/safelight-error.ts"

/**
 * Runs `work` in a span of its own, which ends when `work` has settled; `work` gets none while nobody
 * records. A rejection is passed on, and marks the span as failed by our code, or as `unexpected`.
 */
export async function traceCall<Result>(
  tracer: Tracer,
  start: SpanStart,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const span = tracer.start(start)
  if (span === undefined) return work(undefined)
  try {
    return await span.run(() => work(span))
  } catch (error) {
    span.fail(isSafelightError(error) ? error.code : "unexpected")
    throw error
  } finally {
    span.end()
  }
}
