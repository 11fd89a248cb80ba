/**
 * GET and HEAD of one input of a task, for the provider that works on it: the address is the permission.
 * An address that was never signed is a 404, whatever it looks like; one whose time is over is a 410. The
 * headers keep the input from being stored, run, or linked to.
 */
import { createSemaphore, type ArtifactReader, type Log } from "@safelight/core"
import { createByteSource, type ByteSource } from "../content/byte-source.ts"
import { toContentRange } from "../content/multipart.ts"
import { evaluateRange, type ByteRange } from "../content/ranges.ts"
import { sendContent } from "../content/send-content.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import type { Refuse } from "../errors/refusal.ts"
import type { Exchange } from "../pipeline/exchange.ts"

const GONE = "The time of this address is over."

/** Inputs in memory sent at a time, of 20 MiB at most each. */
const SENT_AT_ONCE = 16
/** Requests of tasks read at a time, of 64 MiB at most each. */
const READ_AT_ONCE = 2

type RefuseRange = Refuse<"range_not_satisfiable">

export const showInput = defineEndpoint({
  method: "GET",
  path: "/v1/inputs/:token",
  answers: {
    200: { description: "The whole input." },
    206: { description: "The part asked for." },
  },
  refusals: ["not_found", "artifact_expired", "range_not_satisfiable"],
}).handle(({ inputs, log, settings: { inputsWaiting: mostWaiting } }) => {
  if (inputs === undefined) return undefined
  const name = "requests for inputs"
  const places = createSemaphore({ permits: SENT_AT_ONCE, mostWaiting, name })
  const reads = createSemaphore({ permits: READ_AT_ONCE, mostWaiting, name })

  return async (call) => {
    const { refuse } = call
    function demand<Found extends object>(found: Found | "gone" | undefined): Found {
      if (found === undefined) throw refuse("not_found")
      if (found === "gone") throw refuse("artifact_expired", { message: GONE })
      return found
    }
    const claim = demand(await inputs.verifyInput(call.param("token")))
    const found = await places.run(async () => {
      const input = demand(await reads.run(() => inputs.readInput(claim)))
      if (!("content" in input)) return input
      const { content, mimeType } = input
      const toSource = ({ start, end }: ByteRange): ByteSource =>
        createByteSource([content.subarray(start, end + 1)])
      return send(call, { log, mimeType, refuse, toSource, totalBytes: content.byteLength })
    })
    if (!("open" in found)) return found
    // Read piece by piece: it needs no place.
    const { bytes: totalBytes, mimeType } = found
    const open = async (range: ByteRange): Promise<ArtifactReader> =>
      demand(await found.open(range))
    const toSource = async (range: ByteRange): Promise<ByteSource> =>
      createByteSource([range], { first: await open(range), open })
    return send(call, { log, mimeType, refuse, toSource, totalBytes })
  }
})

interface SendOptions {
  readonly log: Log
  readonly mimeType: string
  readonly refuse: RefuseRange
  readonly toSource: (range: ByteRange) => ByteSource | Promise<ByteSource>
  readonly totalBytes: number
}

async function send(
  exchange: Exchange,
  { log, mimeType, refuse, toSource, totalBytes }: SendOptions,
): Promise<Response> {
  const range = toRange(exchange, totalBytes, refuse)
  const [start, end] = range ?? [0, totalBytes - 1]
  const source = await toSource({ start, end })
  const headers = {
    "accept-ranges": "bytes",
    "cache-control": "no-store",
    ...(range && { "content-range": toContentRange({ start, end }, totalBytes) }),
    "content-security-policy": "sandbox; default-src 'none'",
    "content-type": mimeType,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-request-id": exchange.requestId,
  }
  const status = range === undefined ? 200 : 206
  return sendContent({ exchange, log, status, headers, source })
}

/** One range alone. There is no validator that `If-Range` could name, so with one the whole is sent. */
function toRange(
  { method, request: { headers } }: Exchange,
  totalBytes: number,
  refuse: RefuseRange,
): readonly [start: number, end: number] | undefined {
  const sent = headers.get("range")
  if (method !== "GET" || sent === null || headers.has("if-range")) return undefined
  const result = evaluateRange(sent, totalBytes)
  if (result.kind === "unsatisfiable") {
    const more = { "content-range": `bytes */${totalBytes}`, "accept-ranges": "bytes" }
    throw refuse("range_not_satisfiable", { headers: more })
  }
  const [only, ...others] = result.kind === "ignored" ? [] : result.ranges
  return only === undefined || others.length > 0 ? undefined : [only.start, only.end]
}
