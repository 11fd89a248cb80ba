/**
 * OpenAI's images, and every server with that API: `api.openai.com`, paths begin with `/v1`. The reply holds the
 * picture itself and no ID: a picture whose reply is lost can't be found again. The purchase's ID is the
 * `x-request-id`.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, toPathText, type BodyFault, type BodySchema } from "../frame/body-fault.ts"
import { readCount, readPicture } from "../frame/read-media.ts"
import type { StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { route, type StubReply } from "../frame/stub-route.ts"
import { EDIT_BODY, EDIT_FORM, GENERATION_BODY } from "./openai-bodies.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * `moderation` and `policy` refuse the prompt, `no-quota` is a 429 that waiting doesn't mend,
 * `retry-after-ms` a 429 that tells milliseconds, `large` makes every reply about 20 MB, `silence`
 * sends no header for as long as `slowMs`.
 */
const OWN_FAULTS = ["moderation", "policy", "no-quota", "retry-after-ms", "large", "silence"]

const INVALID = "invalid_request_error"

const refuse = refuseBy(toError, {
  unauthorized: [401, INVALID, "invalid_api_key", "Incorrect API key provided."],
  "not-found": [404, INVALID, null, "Not found."],
  malformed: [400, INVALID, null, "We could not parse the body of your request."],
  "too-large": [413, INVALID, null, "The request is too large."],
  broken: [500, "server_error", null, "The server had an error."],
  busy: [429, "requests", "rate_limit_exceeded", "Rate limit reached for images."],
})

export const OPENAI: StubDefinition = {
  hosts: ["api.openai.com"],
  filesHost: "api.openai.com",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes: (context) => [
    route("create", "POST /v1/images/generations", (call) => {
      return make(context, "images/generations", { body: call.fields(), schema: GENERATION_BODY })
    }),
    route("create", "POST /v1/images/edits", async (call) => {
      return make(context, "images/edits", await readEdit(call))
    }),
    route("other", "GET /v1/models", () => ({
      json: { object: "list", data: [{ id: "gpt-image-2", object: "model", owned_by: "openai" }] },
    })),
  ],
}

interface ReadBody {
  readonly body: Fields
  readonly schema: BodySchema
}

/** The fields of an edit in either form; a file is its name, type and size. */
async function readEdit(call: StubCall): Promise<ReadBody> {
  if (!call.headers["content-type"]?.startsWith("multipart/")) {
    return { body: call.fields(), schema: EDIT_BODY }
  }
  const form = await call.form()
  const entries = [...form].map(([name, value]) => [name, readEntry(value)] as const)
  const images = entries.filter(([name]) => isImage(name)).map(([, value]) => value)
  const others = Object.fromEntries(entries.filter(([name]) => !isImage(name)))
  return { body: { ...others, ...(images.length > 0 && { images }) }, schema: EDIT_FORM }
}

function isImage(name: string): boolean {
  return name === "image" || name === "image[]"
}

function readEntry(value: string | File): unknown {
  if (typeof value === "string") return readText(value)
  return { name: value.name, type: value.type, size: value.size }
}

/** A number or a text: a form has texts alone. */
function readText(text: string): unknown {
  return /^\d+$/.test(text) ? Number(text) : text
}

async function make(
  context: StubContext,
  endpoint: string,
  { body, schema }: ReadBody,
): Promise<StubReply> {
  const { n = 1, size = "auto", quality = "auto", output_format: format = "png" } = body
  const fault = findBodyFault(schema, body)
  if (fault !== undefined) return toInvalid(fault)
  const refusal = findRefusal(context)
  if (refusal !== undefined) return refusal
  const id = `req_${randomUUID().replaceAll("-", "")}`
  context.record({ id, key: null, endpoint, body })
  if (context.strikes("silence")) await context.waitUntil(context.clock.now() + context.slowMs)
  await context.waitUntil(context.clock.now() + context.queueMs + context.runMs)
  const isLarge = context.strikes("large")
  const large = { type: "image/png", width: 2_304, height: 2_304, isNoise: true } as const
  const data = Array.from({ length: readCount(n) }, (_, index) => {
    const bytes = context.files.render(`${id}-${index}`, isLarge ? large : readPicture(body))
    return { b64_json: bytes.toString("base64") }
  })
  const created = Math.floor(context.toldAt() / 1_000)
  const { background = "opaque" } = body
  const told = { created, background, output_format: format, quality, size }
  const output = 1_000 * data.length
  const usage = { input_tokens: 20, output_tokens: output, total_tokens: 20 + output }
  return {
    headers: { "x-request-id": id, "openai-processing-ms": String(context.runMs) },
    json: { ...told, data, usage },
  }
}

function findRefusal(context: StubContext): StubReply | undefined {
  if (context.strikes("moderation")) {
    const message =
      "Your request was rejected by the safety system. safety_violations=[violence]. If you believe this is an error, contact us."
    return toError(400, "image_generation_user_error", "moderation_blocked", message)
  }
  if (context.strikes("policy")) {
    const message = "Your request was rejected as a result of our safety system."
    return toError(400, "invalid_request_error", "content_policy_violation", message)
  }
  if (context.strikes("no-quota")) {
    const message = "You exceeded your current quota, please check your plan and billing details."
    return toError(429, "insufficient_quota", "insufficient_quota", message)
  }
  if (!context.strikes("retry-after-ms")) return undefined
  const reply = refuse("busy")
  return { ...reply, headers: { "retry-after-ms": "1500", "x-should-retry": "true" } }
}

function toInvalid({ kind, path, words }: BodyFault): StubReply {
  const [first] = path
  const param = first === "images" && kind === "missing" ? "image" : toPathText(path)
  const told = {
    missing: ["missing_required_parameter", `Missing required parameter: '${param}'.`],
    unknown: ["unknown_parameter", `Unknown parameter: '${param}'.`],
    invalid: ["invalid_value", `Invalid value for '${param}': ${words}`],
  } as const
  const [code, message] = told[kind]
  return toError(400, "invalid_request_error", code, message, param)
}

function toError(
  status: number,
  type: string,
  code: string | null,
  message: string,
  param: string | null = null,
): StubReply {
  return { status, json: { error: { message, type, param, code } } }
}
