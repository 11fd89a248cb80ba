/**
 * The kinds of body that an endpoint may declare. A kind says with which codes it is refused and how the
 * document describes it. It checks the head before the declared headers are read, and reads the body
 * after them. GET and HEAD declare none: a body sent with them is never read.
 */
import type { Model } from "@safelight/core"
import { joinPieces, type BodyPieces } from "../body/body-pieces.ts"
import { CREATION_REFUSALS } from "../body/creation-refusals.ts"
import { createCreationReader } from "../body/creation-reader.ts"
import type { Creation } from "../body/creation.ts"
import { RECEIVE_REFUSALS } from "../body/held-bodies.ts"
import { checkMediaType } from "../body/media-type.ts"
import { createBodyReader, type BodyRequest } from "../body/read-body.ts"
import { receiveWebBody } from "../body/web-body.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import { toRefuse } from "../errors/refusal.ts"
import type { Exchange } from "../exchange.ts"
import { toCreationBody } from "../openapi/creation-body.ts"
import type { Services } from "../services.ts"

export interface BodyKind<Value> {
  readonly refusals: readonly ErrorCode[]
  /** The document's `requestBody`; absent: there is none. */
  readonly describe?: (models: readonly Model[]) => object
  readonly create: (
    services: Pick<Services, "models" | "settings" | "threadModels">,
  ) => BodyUse<Value>
}

interface BodyUse<Value> {
  /** By the head alone; throws a `Refusal`. */
  readonly check?: (exchange: Exchange) => void
  /** Hands the body to `use`; its bytes count as held until that settles. Absent: nothing is read. */
  readonly read?: (
    exchange: Exchange,
    use: (value: Value) => Response | Promise<Response>,
  ) => Promise<Response>
}

/** A creation request, checked as far as possible without asking the service. */
export const creationBody: BodyKind<Creation> = {
  refusals: CREATION_REFUSALS,
  describe: (models) => toCreationBody(models).requestBody,
  create({ models, settings, threadModels }) {
    const bodyReader = createBodyReader(settings)
    const readCreation = createCreationReader({ models, threadModels, settings })
    return {
      check({ request: { headers } }) {
        checkMediaType(headers.get("content-type"), headers.get("content-encoding"))
      },
      read(exchange, use) {
        const question = { wantsFingerprint: exchange.request.headers.has("idempotency-key") }
        return bodyReader.read(toBodyRequest(exchange, exchange.caller?.id ?? ""), async (pieces) =>
          use(await readCreation(pieces, question, exchange.host?.server.threads)),
        )
      },
    }
  },
}

/**
 * A stranger's bytes, read only once the handler asks for them. They are counted apart from the bodies of
 * callers, so no caller is ever refused because of them, and each `key` of the path has a share of its own.
 */
export const callbackBody: BodyKind<() => Promise<Uint8Array>> = {
  refusals: RECEIVE_REFUSALS,
  describe: () => ({ required: true, content: { "*/*": {} } }),
  create({ settings }) {
    const { callbackBytes, callbacksInFlightBytes } = settings
    const bodyReader = createBodyReader({
      ...settings,
      bodyBytes: callbackBytes,
      bodiesInFlightBytes: callbacksInFlightBytes,
      bodiesAtWorkBytes: callbacksInFlightBytes,
      largeBodyBytes: callbackBytes,
    })
    return {
      async read(exchange, use) {
        const over = Promise.withResolvers<void>()
        const readBody = () =>
          new Promise<Uint8Array>((resolve, reject) => {
            const take = (pieces: BodyPieces): Promise<void> => {
              resolve(joinPieces(pieces))
              return over.promise
            }
            const asked = toBodyRequest(exchange, exchange.param("key"))
            bodyReader.read(asked, take).catch(reject)
          })
        try {
          return await use(readBody)
        } finally {
          over.resolve()
        }
      },
    }
  },
}

export function toBodyRequest({ host, request }: Exchange, account: string): BodyRequest {
  const declaredLength = request.headers.get("content-length")
  const receive: BodyRequest["receive"] = (sink) =>
    host === undefined ? receiveWebBody(request, sink) : host.server.receive(host.node, sink)
  return { account, declaredLength, receive }
}

const NO_BODY_REFUSALS = ["unknown_parameter"] as const
const refuse = toRefuse(NO_BODY_REFUSALS)

/** Any body is refused, with this message (http-decisions §6). */
export function noBody(message: string): BodyKind<undefined> {
  return {
    refusals: NO_BODY_REFUSALS,
    create: () => ({
      check(exchange) {
        if (hasBody(exchange)) throw refuse("unknown_parameter", { message })
      },
    }),
  }
}

function hasBody({ host, request }: Exchange): boolean {
  const length = request.headers.get("content-length")
  const isFramed = length !== null || request.headers.has("transfer-encoding")
  // HTTP/1.1 frames a body by one of the two; a host that handed over a request may have neither.
  return isFramed || host !== undefined ? isFramed && length !== "0" : request.body !== null
}
