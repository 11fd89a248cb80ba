/**
 * Stability AI: `api.stability.ai`. A picture or a sound is the reply itself, bytes under `accept: image/*` and base64 in JSON
 * otherwise, and has no ID: that of the purchase is the `x-request-id`.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, toPathText, type BodyFault } from "../frame/body-fault.ts"
import { readPicture } from "../frame/read-media.ts"
import { createSmallFile } from "../media/small-file.ts"
import type { StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { route, type StubReply } from "../frame/stub-route.ts"
import { toFormSchema } from "./stability-forms.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * `moderation` refuses the request for its content and `no-credits` for the account; `filtered` answers a blurred
 * picture.
 */
const OWN_FAULTS = ["moderation", "no-credits", "filtered"]

const refuse = refuseBy(toError, {
  unauthorized: [401, "unauthorized", "missing or invalid authorization header"],
  "not-found": [404, "not_found", "not found"],
  malformed: [400, "bad_request", "content-type: must be multipart/form-data"],
  "too-large": [413, "payload_too_large", "body: payload cannot be larger than 10MiB"],
  broken: [500, "internal_error", "an unexpected server error has occurred"],
  busy: [429, "rate_limit_exceeded", "rate limit exceeded"],
})

export const STABILITY: StubDefinition = {
  hosts: ["api.stability.ai"],
  filesHost: "api.stability.ai",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes: (context) => [
    route("create", "POST /v2beta/stable-image/generate/{service}", (call) =>
      make(context, call, call.params["service"] ?? ""),
    ),
    route("create", "POST /v2beta/{service*}", (call) =>
      make(context, call, call.params["service"] ?? ""),
    ),
    route("other", "GET /v1/user/balance", () => ({ json: { credits: 1_000 } })),
  ],
}

/** A file is its name, type and size. */
function readField(value: string | File): unknown {
  if (typeof value === "string") return value
  return { name: value.name, type: value.type, size: value.size }
}

async function make(context: StubContext, call: StubCall, service: string): Promise<StubReply> {
  const form = await call.form()
  const body: Fields = Object.fromEntries(
    [...form].map(([name, value]) => [name, readField(value)]),
  )
  const fault = findBodyFault(toFormSchema(service), body)
  if (fault !== undefined) return toInvalid(fault)
  const refusal = findRefusal(context)
  if (refusal !== undefined) return refusal
  const id = randomUUID()
  context.record({ id, key: null, endpoint: service, body })
  await context.waitUntil(context.clock.now() + context.queueMs + context.runMs)
  return toReply(context, call, id, body)
}

function findRefusal(context: StubContext): StubReply | undefined {
  if (context.strikes("no-credits")) {
    const words = "You lack sufficient credits to make this request."
    return toError(402, "payment_required", words)
  }
  if (!context.strikes("moderation")) return undefined
  const words = "Your request was flagged by our content moderation system"
  return toError(403, "content_moderation", words)
}

function toReply(context: StubContext, call: StubCall, id: string, body: Fields): StubReply {
  if (call.path.startsWith("/v2beta/audio/")) {
    const told = { "content-type": "audio/wav", "finish-reason": "SUCCESS", "x-request-id": id }
    return { headers: told, bytes: createSmallFile("audio/wav") }
  }
  const picture = readPicture(body)
  const bytes = context.files.render(id, picture)
  const reason = context.strikes("filtered") ? "CONTENT_FILTERED" : "SUCCESS"
  const seed = 343_940_597
  const headers = { "x-request-id": id }
  if (call.headers.accept?.startsWith("application/json") === true) {
    return { headers, json: { image: bytes.toString("base64"), seed, finish_reason: reason } }
  }
  const told = { "content-type": picture.type, "finish-reason": reason, seed: String(seed) }
  return { headers: { ...headers, ...told }, bytes }
}

function toInvalid({ kind, path, words }: BodyFault): StubReply {
  const name = toPathText(path)
  const told = {
    missing: `${name}: is required`,
    unknown: `${name}: is not a recognized field`,
    invalid: `${name}: ${words}`,
  }
  return toError(400, "bad_request", told[kind])
}

function toError(status: number, name: string, words: string): StubReply {
  return { status, json: { id: randomUUID(), name, errors: [words] } }
}
