/**
 * OpenAI's images, and every server with that API: `api.openai.com`, paths begin with `/v1`. The reply holds the
 * picture itself and no ID: a picture whose reply is lost can't be found again. The purchase's ID is the
 * `x-request-id`.
 */
import { randomUUID } from "node:crypto"
import { readCount, readPicture } from "../read-media.ts"
import type { RunningStub, StubOptions } from "../running-stub.ts"
import { startStub } from "../start-stub.ts"
import type { StubCall } from "../stub-call.ts"
import {
  hasScheme,
  type Refusal,
  type StubContext,
  type StubDefinition,
} from "../stub-definition.ts"
import { route, type StubReply } from "../stub-route.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * `moderation` and `policy` refuse the prompt, `no-quota` is a 429 that waiting doesn't mend,
 * `retry-after-ms` a 429 that tells milliseconds, `large` makes every reply about 20 MB, `silence`
 * sends no header for as long as `slowMs`.
 */
const OWN_FAULTS = ["moderation", "policy", "no-quota", "retry-after-ms", "large", "silence"]

const OPENAI: StubDefinition = {
  hosts: ["api.openai.com"],
  filesHost: "api.openai.com",
  ownFaults: OWN_FAULTS,
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes: (context) => [
    route("create", "POST /v1/images/generations", (call) => {
      return make(context, "images/generations", call.fields())
    }),
    route("create", "POST /v1/images/edits", async (call) => {
      return make(context, "images/edits", await readEdit(call))
    }),
    route("other", "GET /v1/models", () => ({
      json: { object: "list", data: [{ id: "gpt-image-2", object: "model", owned_by: "openai" }] },
    })),
  ],
}

export function startOpenAiStub(options?: StubOptions): Promise<RunningStub> {
  return startStub(OPENAI, options)
}

/** The fields of an edit in either form; a file is its name, type and size. */
async function readEdit(call: StubCall): Promise<Fields> {
  if (!call.headers["content-type"]?.startsWith("multipart/")) {
    const fields = call.fields()
    return { ...fields, has_images: Array.isArray(fields["images"]) && fields["images"].length > 0 }
  }
  const form = await call.form()
  const files = [...form.getAll("image[]"), ...form.getAll("image")]
  const fields = Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === "string" ? [[name, readText(value)]] : [],
    ),
  )
  const images = files.map((file) =>
    typeof file === "string" ? file : { name: file.name, type: file.type, size: file.size },
  )
  return { ...fields, images, has_images: images.length > 0 }
}

/** A number or a text: a form has texts alone. */
function readText(text: string): unknown {
  return /^\d+$/.test(text) ? Number(text) : text
}

async function make(context: StubContext, endpoint: string, fields: Fields): Promise<StubReply> {
  const { prompt, n = 1, size = "auto", quality = "auto", output_format: format = "png" } = fields
  const { has_images: hasImages = true, ...body } = fields
  if (typeof prompt !== "string" || prompt === "") return toMissing("prompt")
  if (hasImages === false) return toMissing("image")
  const refusal = findRefusal(context)
  if (refusal !== undefined) return refusal
  const id = `req_${randomUUID().replaceAll("-", "")}`
  context.record({ id, key: null, endpoint, body })
  if (context.strikes("silence")) await context.waitUntil(context.clock.now() + context.slowMs)
  await context.waitUntil(context.clock.now() + context.queueMs + context.runMs)
  const isLarge = context.strikes("large")
  const large = { type: "image/png", width: 2_304, height: 2_304, isNoise: true } as const
  const data = Array.from({ length: readCount(n) }, (_, index) => {
    const bytes = context.files.render(`${id}-${index}`, isLarge ? large : readPicture(fields))
    return { b64_json: bytes.toString("base64") }
  })
  const created = Math.floor(context.toldAt() / 1_000)
  const { background = "opaque" } = fields
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

function toMissing(param: string): StubReply {
  const message = `Missing required parameter: '${param}'.`
  return toError(400, "invalid_request_error", "missing_required_parameter", message, param)
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

function refuse(reason: Refusal): StubReply {
  const invalid = "invalid_request_error"
  switch (reason) {
    case "unauthorized":
      return toError(401, invalid, "invalid_api_key", "Incorrect API key provided.")
    case "unknown-path":
    case "not-found":
      return toError(404, invalid, null, "Not found.")
    case "malformed":
      return toError(400, invalid, null, "We could not parse the body of your request.")
    case "too-large":
      return toError(413, invalid, null, "The request is too large.")
    case "broken":
      return toError(500, "server_error", null, "The server had an error.")
    case "busy":
      return toError(429, "requests", "rate_limit_exceeded", "Rate limit reached for images.")
  }
}
