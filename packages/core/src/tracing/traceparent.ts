/**
 * The text by which a trace goes from one process to another. It may come from any caller: what is not well
 * formed counts as none.
 */

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
/** Longer than any version so far writes it. */
const MOST_CHARACTERS = 128

export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

/**
 * What a `traceparent` says (W3C Trace Context, §3.2); undefined unless it is well formed. What a later
 * version adds at its end is left out.
 */
export function parseTraceparent(text: string): TraceContext | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) {
    return undefined
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`
}
