/**
 * The trace of a task, which another process continues. It may go back to what a caller sent, so it is stored
 * next to the log, in the commit that admits the task, and is erased with the request.
 */
import type { Append, Input, SpanStart } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

/** The name of the input that holds a `traceparent`, as JSON; absent where nobody recorded spans. */
const TRACE_INPUT = "trace"

/** The span that a task is submitted in, to be stored with it. */
export function toTraceInput(
  { identifiers, tracer }: Pick<Ports, "identifiers" | "tracer">,
  task: string,
): Input[] {
  const traceparent = tracer.active()?.traceparent
  if (traceparent === undefined) return []
  const body = JSON.stringify(traceparent)
  return [{ task, name: TRACE_INPUT, salt: identifiers.createSalt(), body }]
}

/**
 * Undefined where there is none, or it was erased. A storage that fails costs the task its place in the trace,
 * and nothing else.
 */
export async function findTraceparent(
  { log, storage }: Pick<Ports, "log" | "storage">,
  task: string,
): Promise<string | undefined> {
  try {
    const input = await storage.readInput({ task, name: TRACE_INPUT })
    return input && (JSON.parse(input.body) as string)
  } catch (error) {
    log.warn({ task, error }, "trace not read")
    return undefined
  }
}

export function toAppendSpan({ events }: Append): SpanStart {
  const types = events.map(({ type }) => type)
  return { name: "append", kind: "client", attributes: { "safelight.events": types } }
}
