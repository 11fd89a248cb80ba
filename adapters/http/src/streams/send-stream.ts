/** Opens the stream of a request: by our own server if there is one, else as a web stream. */
import type { Account, ApiKeyScope, ChangePosition, WatchRequest } from "@safelight/core"
import type { Exchange } from "../pipeline/exchange.ts"
import { toTextBytes } from "../pipeline/json-response.ts"
import type { Services } from "../pipeline/services.ts"
import { RETRY_TEXT } from "./event-text.ts"
import type { OpenStream, TextSource } from "./open-stream.ts"
import type { TextSink, TextSinkListener } from "./text-sink.ts"
import { createWebText } from "./web-text.ts"

export const STREAM_SCOPES: readonly ApiKeyScope[] = ["tasks:read"]

/** `x-accel-buffering` has nginx pass every text on at once. */
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
}

export type StreamServices = Pick<Services, "isStillAllowed" | "streams">

/** What a stream is of, for as long as it is open. */
export interface StreamWatch {
  /** Where it stands. */
  readonly position?: ChangePosition
  /** Safe to call twice. */
  readonly end: () => void
}

export interface StreamOptions {
  readonly exchange: Exchange & { readonly caller: Account }
  /** What the key needs, and must keep. */
  readonly scopes: readonly ApiKeyScope[]
  /** Begins to watch; absent if nothing more will happen. May reject, with a `Refusal` too. */
  readonly watch?: (on: Pick<WatchRequest, "onEnd" | "onNews">) => Promise<StreamWatch>
  /** What the stream sends, and what it begins with; `now` is where the watch stands. */
  readonly toTexts: (now: ChangePosition | undefined) => StreamTexts
}

export interface StreamTexts {
  readonly source: TextSource
  readonly begin?: string
}

/** Resolves once the client has left, under our own server; otherwise at once. Rejects with a `Refusal`. */
export async function sendStream(
  { isStillAllowed, streams }: StreamServices,
  { exchange, scopes, toTexts, watch: beginWatch }: StreamOptions,
): Promise<Response> {
  const { caller, host, method, request, requestId } = exchange
  const headers = { ...HEADERS, "x-request-id": requestId, ...exchange.headers }
  const head = { status: 200, headers }
  const place = streams.reserve(caller.id)
  const authorization = request.headers.get("authorization")
  let response: Response | undefined
  let sentBytes = 0
  function open(listener: TextSinkListener): TextSink {
    if (host === undefined) {
      const web = createWebText(head, listener)
      response = web.response
      return web.sink
    }
    const sink = host.server.stream(host.node, head, listener)
    return {
      end: () => sink.end(),
      write(text) {
        sentBytes += toTextBytes(text)
        return sink.write(text)
      },
    }
  }
  let stream: OpenStream | undefined
  let watch: StreamWatch | undefined
  try {
    const onNews = (): void => stream?.wake()
    const onEnd = (): void => stream?.end()
    watch = await beginWatch?.({ onNews, onEnd })
    if (method === "HEAD") {
      watch?.end()
      place.release()
      return new Response(null, head)
    }
    const { source, begin = "" } = toTexts(watch?.position)
    stream = place.open({
      isAllowed: () => isStillAllowed(authorization, scopes),
      source,
      open,
      begin: RETRY_TEXT + begin,
    })
  } catch (error) {
    watch?.end()
    place.release()
    throw error
  }
  const ended = stream.over.then(() => watch?.end())
  stream.wake()
  if (response !== undefined) return response
  await ended
  exchange.report.transfer = { status: head.status, lengthBytes: sentBytes, sentBytes }
  return host?.server.sent ?? new Response(null)
}
