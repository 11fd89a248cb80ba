/**
 * GET and HEAD of one input of a task, for the provider that makes it: the address is the whole
 * permission. What was never signed is a 404, whatever it looks like; what was and is over is a 410.
 * Nothing may keep it, run it or learn where it came from.
 */
import {
  createGate,
  type ArtifactReader,
  type InputContent,
  type InputService,
  type Log,
} from "@safelight/core"
import { createByteSource, type Segment } from "../content/byte-source.ts"
import { toContentRange } from "../content/multipart.ts"
import { evaluateRange } from "../content/ranges.ts"
import { sendContent } from "../content/send-content.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange, Resource } from "../exchange.ts"

const PATH = "/v1/inputs/"

export interface InputContentOptions {
  readonly inputs: InputService
  readonly log: Log
  /** How many may wait for a place. */
  readonly mostWaiting: number
}

const GONE = "The time of this address is over."

/** Inputs sent at a time, of 20 MiB at most each. */
const SENT_AT_ONCE = 16
/** Requests of tasks read at a time, of 64 MiB at most each. */
const READ_AT_ONCE = 2

export function createInputContent({ inputs, log, mostWaiting }: InputContentOptions): Resource {
  const name = "requests for inputs"
  const places = createGate({ limit: SENT_AT_ONCE, mostWaiting, name })
  const reads = createGate({ limit: READ_AT_ONCE, mostWaiting, name })

  async function answer(exchange: Exchange): Promise<Response> {
    const claim = demand(await inputs.verifyInput(exchange.param("token")))
    return places.pass(1, async () => {
      const input = demand(await reads.pass(1, () => inputs.readInput(claim)))
      return send(exchange, log, input)
    })
  }

  return { path: `${PATH}:token`, methods: { GET: answer } }
}

function demand<Found extends object>(found: Found | "gone" | undefined): Found {
  if (found === undefined) throw new Refusal("not_found")
  if (found === "gone") throw new Refusal("artifact_expired", { message: GONE })
  return found
}

async function send(
  exchange: Exchange,
  log: Log,
  { content, mimeType }: InputContent,
): Promise<Response> {
  const totalBytes = content.byteLength
  const range = toRange(exchange, totalBytes)
  const [start, end] = range ?? [0, totalBytes - 1]
  const segments: readonly Segment[] = [{ start, end }]
  const first = toReader(content.subarray(start, end + 1), totalBytes)
  const source = createByteSource({ segments, first, open: () => Promise.resolve(first) })
  const headers = {
    "accept-ranges": "bytes",
    "cache-control": "no-store",
    "content-length": String(source.lengthBytes),
    ...(range && { "content-range": toContentRange({ start, end }, totalBytes) }),
    "content-security-policy": "sandbox; default-src 'none'",
    "content-type": mimeType,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-request-id": exchange.requestId,
  }
  const status = range === undefined ? 200 : 206
  if (exchange.method === "HEAD") return new Response(null, { status, headers })
  return sendContent({ exchange, log, status, headers, source })
}

/** One range alone. There is no validator that `If-Range` could name, so with one the whole is sent. */
function toRange(
  { method, request: { headers } }: Exchange,
  totalBytes: number,
): readonly [start: number, end: number] | undefined {
  const sent = headers.get("range")
  if (method !== "GET" || sent === null || headers.has("if-range")) return undefined
  const result = evaluateRange(sent, totalBytes)
  if (result.kind === "unsatisfiable") {
    const more = { "content-range": `bytes */${totalBytes}`, "accept-ranges": "bytes" }
    throw new Refusal("range_not_satisfiable", { headers: more })
  }
  const [only, ...others] = result.kind === "ignored" ? [] : result.ranges
  return only === undefined || others.length > 0 ? undefined : [only.start, only.end]
}

function toReader(bytes: Uint8Array, totalBytes: number): ArtifactReader {
  let at = 0
  return {
    totalBytes,
    async read(into) {
      const piece = bytes.subarray(at, at + into.length)
      into.set(piece)
      at += piece.length
      return piece.length
    },
    close: async () => {},
  }
}
