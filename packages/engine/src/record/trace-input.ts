/**
 * The trace of a task, which another process continues. It may come from a caller's header, so it is kept outside the
 * log, written in the commit that admits the task, and erased with the request.
 */
import type { Append, Input, SpanStart } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

/** The name of the input that holds a `traceparent`, as JSON; absent if no spans were recorded. */
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
 * Undefined if there is none, or it was erased. If the storage fails, the task's spans are not connected to the
 * request's, and nothing else is lost.
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
