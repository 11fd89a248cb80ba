/**
 * The kinds of body that an endpoint may declare. A kind says with which codes it is refused and how the
 * document describes it. Its head is checked before the declared headers are read, and it is received once
 * the handler asks for it. GET and HEAD declare none: a body sent with them is never read.
 */
import type { Model } from "@safelight/core"
import { joinPieces, type BodyPieces } from "../body/body-pieces.ts"
import { CREATION_REFUSALS, refuse } from "../body/creation-refusals.ts"
import { createCreationReader } from "../body/creation-reader.ts"
import type { Creation } from "../body/creation.ts"
import { RECEIVE_REFUSALS } from "../body/held-bodies.ts"
import { createBodyReader, type BodyReaderSettings, type ReceivedBody } from "../body/read-body.ts"
import { receiveWebBody } from "../body/web-body.ts"
import type { HttpSettings } from "../pipeline/defaults.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import { toRefuse } from "../errors/refusal.ts"
import type { Exchange } from "../pipeline/exchange.ts"
import { toCreationBody } from "../openapi/creation-body.ts"
import type { Services } from "../pipeline/services.ts"

export interface BodyKind<Value> {
  readonly refusals: readonly ErrorCode[]
  /** The document's `requestBody`; absent: there is none. */
  readonly describe?: (models: readonly Model[]) => object
  readonly create: (services: BodyServices) => BodyUse<Value>
}

export type BodyServices = Pick<Services, "models" | "settings" | "threadModels">

export interface BodyUse<Value> {
  /** By the head alone; throws a `Refusal`. */
  readonly check?: (exchange: Exchange) => void
  /** Absent: nothing is read. */
  readonly reading?: BodyReading<Value>
}

export interface BodyReading<Value> {
  /** Rejects with a `Refusal`, or with `overloaded`. */
  readonly receive: (exchange: Exchange) => Promise<ReceivedBody>
  /** Throws or rejects with a `Refusal`. */
  readonly parse: (pieces: BodyPieces, exchange: Exchange) => Value | Promise<Value>
}

/** A creation request, checked as far as possible without asking the service. */
export const creationBody: BodyKind<Creation> = {
  refusals: CREATION_REFUSALS,
  describe: (models) => toCreationBody(models).requestBody,
  create({ models, settings, threadModels }) {
    const readCreation = createCreationReader({ models, threadModels, settings })
    return {
      check: checkJsonHead,
      reading: {
        receive: createReceive(settings, toAccount),
        parse(pieces, { request, threads }) {
          const question = { wantsFingerprint: request.headers.has("idempotency-key") }
          return readCreation(pieces, question, threads)
        },
      },
    }
  },
}

/**
 * A stranger's bytes. They are counted apart from the bodies of callers, so no caller is ever refused because of
 * them, and each `key` of the path has a share of its own.
 */
export const callbackBody: BodyKind<Uint8Array> = {
  refusals: RECEIVE_REFUSALS,
  describe: () => ({ required: true, content: { "*/*": {} } }),
  create({ settings }) {
    const { callbackBytes: bodyBytes, callbacksInFlightBytes: inFlightBytes } = settings
    const bounded = { ...settings, ...toBounds({ bodyBytes, inFlightBytes }) }
    return {
      reading: { receive: createReceive(bounded, ({ param }) => param("key")), parse: joinPieces },
    }
  },
}

/** The settings for bodies that are counted for themselves, none of which is large. */
export function toBounds({
  bodyBytes,
  inFlightBytes,
}: {
  readonly bodyBytes: number
  readonly inFlightBytes: number
}): Pick<
  HttpSettings,
  "bodiesAtWorkBytes" | "bodiesInFlightBytes" | "bodyBytes" | "largeBodyBytes"
> {
  return {
    bodyBytes,
    bodiesInFlightBytes: inFlightBytes,
    bodiesAtWorkBytes: inFlightBytes,
    largeBodyBytes: bodyBytes,
  }
}

/** `toSender` names whose share a body counts against. */
export function createReceive(
  settings: BodyReaderSettings,
  toSender: (exchange: Exchange) => string,
): BodyReading<unknown>["receive"] {
  const bodyReader = createBodyReader(settings)
  return (exchange) => {
    const { host, request } = exchange
    return bodyReader.receive({
      account: toSender(exchange),
      declaredLength: request.headers.get("content-length"),
      receive: (sink) =>
        host === undefined ? receiveWebBody(request, sink) : host.server.receive(host.node, sink),
    })
  }
}

function toAccount({ report }: Exchange): string {
  return report.identity?.account.id ?? ""
}

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^;\s"]*))/gi

/** JSON in UTF-8, not compressed (http-decisions §2, both 415 rows). Throws a `Refusal` for anything else. */
export function checkJsonHead({ request: { headers } }: Exchange): void {
  const type = headers.get("content-type")
  if (type !== "application/json" && !isUtf8Json(type ?? "")) {
    throw refuse("unsupported_media_type", { headers: { accept: "application/json" } })
  }
  checkCoding({ headers })
}

/** Throws a `Refusal` for a compressed body. */
export function checkCoding({ headers }: Pick<Request, "headers">): void {
  const coding = headers.get("content-encoding")
  if (coding !== null && coding.toLowerCase() !== "identity") {
    throw refuse("unsupported_content_encoding", { headers: { "accept-encoding": "identity" } })
  }
}

function isUtf8Json(contentType: string): boolean {
  if (!JSON_TYPE.test(contentType)) return false
  const charsets = Array.from(contentType.matchAll(CHARSET), ([, quoted, bare]) => quoted ?? bare)
  return charsets.every((charset) => charset?.toLowerCase() === "utf-8")
}

const NO_BODY_REFUSALS = ["unknown_parameter"] as const
const refuseBody = toRefuse(NO_BODY_REFUSALS)

/** Any body is refused, with this message (http-decisions §6). */
export function noBody(message: string): BodyKind<undefined> {
  return {
    refusals: NO_BODY_REFUSALS,
    create: () => ({
      check(exchange) {
        if (hasBody(exchange)) throw refuseBody("unknown_parameter", { message })
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
