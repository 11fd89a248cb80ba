/**
 * POST /v1/channels/{channel}/callback/{key}: a provider calls back, without an API key. The key in the
 * path is what opens it, and it is looked at before a byte of the body is: whoever has none learns only
 * that there is nothing. Its bodies are held apart from those of callers, who are so never refused for them.
 */
import type { CallbackService } from "@safelight/core"
import { joinPieces, type BodyPieces } from "../body/body-pieces.ts"
import { createBodyReader } from "../body/read-body.ts"
import { toReceive } from "../body/to-receive.ts"
import type { HttpSettings } from "../defaults.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange, Resource } from "../exchange.ts"

export interface ReceiveCallbackOptions {
  readonly callbacks: CallbackService
  readonly settings: HttpSettings
}

export function createReceiveCallback({ callbacks, settings }: ReceiveCallbackOptions): Resource {
  const { callbackBytes, callbacksInFlightBytes } = settings
  const bodyReader = createBodyReader({
    ...settings,
    bodyBytes: callbackBytes,
    bodiesInFlightBytes: callbacksInFlightBytes,
    bodiesAtWorkBytes: callbacksInFlightBytes,
    largeBodyBytes: callbackBytes,
  })

  /** The body counts as held until `over` settles. */
  function readBody(exchange: Exchange, address: string, over: Promise<void>): Promise<Uint8Array> {
    const { node, request } = exchange
    const declaredLength = request.headers.get("content-length")
    const receive = toReceive(request, node)
    const asked = { account: address, declaredLength, receive }
    return new Promise((resolve, reject) => {
      const use = (pieces: BodyPieces): Promise<void> => {
        resolve(joinPieces(pieces))
        return over
      }
      bodyReader.read(asked, use).catch(reject)
    })
  }

  return {
    path: "/v1/channels/:channel/callback/:key",
    methods: {
      async POST(exchange) {
        const { headers, param, request, requestId } = exchange
        const [channel, key] = [param("channel"), param("key")]
        const over = Promise.withResolvers<void>()
        const asked = {
          channel,
          key,
          headers: Object.fromEntries(request.headers),
          readBody: () => readBody(exchange, key, over.promise),
        }
        const result = await callbacks.receiveCallback(asked).finally(over.resolve)
        if (result === "unknown") throw new Refusal("not_found")
        if (result === "forged") throw new Refusal("invalid_callback")
        exchange.carriesHeaders = true
        const own = { "cache-control": "no-store", "x-request-id": requestId }
        return new Response(null, { status: 204, headers: { ...own, ...headers } })
      },
    },
  }
}
