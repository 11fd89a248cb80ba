/**
 * xAI: `api.x.ai` (paths begin with `/v1`) and `imgen.x.ai` (files) at one origin. Moderation is
 * silent: a 200 without pictures, or with `respect_moderation: false`. Amounts are in ticks, of which a
 * dollar has 10^10. Pictures have no ID: that of the purchase is ours.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, toPathText, type BodyFault } from "../frame/body-fault.ts"
import { readCount, readFilm, readPicture } from "../frame/read-media.ts"
import type { StubCall } from "../frame/stub-call.ts"
import {
  hasScheme,
  refuseBy,
  type StubContext,
  type StubDefinition,
} from "../frame/stub-definition.ts"
import { createJobs, type StubJob, type StubJobs } from "../frame/stub-jobs.ts"
import { route, type StubReply } from "../frame/stub-route.ts"
import { XAI_BODIES } from "./xai-bodies.ts"

type Fields = Readonly<Record<string, unknown>>

interface VideoData {
  readonly body: Fields
  readonly outcome: "done" | "failed" | "expired" | "moderated"
}

interface XaiState {
  readonly context: StubContext
  readonly jobs: StubJobs<VideoData>
}

/**
 * `no-credits` answers creates with a 403. Of pictures: `empty-data`, `disrespected` (told by `respect_moderation`) and `block-reason`. Of
 * films: `video-failed`, `video-expired`, and `video-moderated`, which is done and disrespected.
 */
const IMAGE_FAULTS = ["empty-data", "disrespected", "block-reason"] as const
const VIDEO_FAULTS = ["video-failed", "video-expired", "video-moderated"] as const

const NO_CREDITS =
  "Your team stub has either used all available credits or reached its monthly spending limit."

const TICKS = 10_000_000_000

/** The documentation says hours, and not how many. */
const FILES_LIVE_MS = 2 * 3_600_000

const refuse = refuseBy(toError, {
  unauthorized: [401, "Incorrect API key provided.", "unauthenticated"],
  "not-found": [404, "Not found.", "not_found"],
  malformed: [400, "The request body is not valid JSON."],
  "too-large": [413, "The request body is too large."],
  broken: [500, "Internal error.", "internal"],
  busy: [429, "Too many requests.", "resource_exhausted"],
})

export const XAI: StubDefinition = {
  hosts: ["api.x.ai", "imgen.x.ai"],
  filesHost: "imgen.x.ai",
  ownFaults: ["no-credits", ...IMAGE_FAULTS, ...VIDEO_FAULTS],
  isAuthorized: (call) => hasScheme(call, "Bearer"),
  refuse,
  createRoutes(context) {
    const state = { context, jobs: createJobs<VideoData>(context) }
    const paid = (make: (call: StubCall) => StubReply | Promise<StubReply>) => (call: StubCall) =>
      context.strikes("no-credits") ? toError(403, NO_CREDITS, "permission-denied") : make(call)
    const toImages = paid((call) => makeImages(context, call))
    const toFilm = paid((call) => createVideo(state, call))
    return [
      route("create", "POST /v1/images/generations", toImages),
      route("create", "POST /v1/images/edits", toImages),
      route("create", "POST /v1/videos/generations", toFilm),
      route("create", "POST /v1/videos/edits", toFilm),
      route("create", "POST /v1/videos/extensions", toFilm),
      route(
        "poll",
        "GET /v1/videos/{id}",
        state.jobs.handle((job) => showVideo(state, job)),
      ),
      route("other", "GET /v1/models", () => ({
        json: { object: "list", data: [{ id: "grok-imagine-image-2.0", object: "model" }] },
      })),
    ]
  },
}

/** JSON only: a form is refused. */
function readFields(call: StubCall): Fields | StubReply {
  if (call.headers["content-type"]?.startsWith("application/json") !== true) {
    return toError(415, "Expected request with `Content-Type: application/json`")
  }
  const fields = call.fields()
  const schema = XAI_BODIES[call.path]
  const fault = schema === undefined ? undefined : findBodyFault(schema, fields)
  return fault === undefined ? fields : toInvalid(fault)
}

/** What can't be read is a 422; a number out of its range is read, and refused by the model. */
function toInvalid({ kind, path, rule, words }: BodyFault): StubReply {
  if (kind === "invalid")
    return toError(rule.endsWith("_value") ? 400 : 422, `${toPathText(path)}: ${words}`)
  return toError(422, `Failed to deserialize: ${kind} field \`${toPathText(path)}\``)
}

async function makeImages(context: StubContext, call: StubCall): Promise<StubReply> {
  const fields = readFields(call)
  if (!("model" in fields)) return fields
  const id = randomUUID()
  context.record({ id, key: null, endpoint: String(fields["model"]), body: fields })
  await context.waitUntil(context.clock.now() + context.queueMs + context.runMs)
  const fault = IMAGE_FAULTS.find((name) => context.strikes(name))
  const count = readCount(fields["n"])
  const usage = { cost_in_usd_ticks: count * 0.04 * TICKS }
  if (fault === "empty-data") return { json: { data: [], usage } }
  if (fault === "block-reason") return { json: { data: [], block_reason: "content_policy", usage } }
  const picture = readPicture(fields, "jpeg")
  const data = Array.from({ length: count }, (_, index) => {
    const name = `${id}-${index}`
    const told = { mime_type: picture.type, revised_prompt: "", respect_moderation: true }
    if (fault === "disrespected") return { ...told, respect_moderation: false }
    if (fields["response_format"] === "b64_json") {
      return { ...told, b64_json: context.files.render(name, picture).toString("base64") }
    }
    return {
      ...told,
      url: context.files.add(name, picture, context.clock.now() + FILES_LIVE_MS).url,
    }
  })
  return { json: { data, usage } }
}

function createVideo({ context, jobs }: XaiState, call: StubCall): StubReply {
  const fields = readFields(call)
  if (!("model" in fields)) return fields
  const fault = VIDEO_FAULTS.find((name) => context.strikes(name))
  const outcome = fault === undefined ? "done" : OUTCOMES[fault]
  const job = jobs.open(randomUUID(), { body: fields, outcome })
  context.record({ id: job.id, key: null, endpoint: String(fields["model"]), body: fields })
  return { json: { request_id: job.id } }
}

const OUTCOMES = {
  "video-failed": "failed",
  "video-expired": "expired",
  "video-moderated": "moderated",
} as const

/** Pending is a 202, without any body while it waits. */
function showVideo({ context, jobs }: XaiState, job: StubJob<VideoData>): StubReply {
  const phase = jobs.phaseOf(job)
  if (phase === "queued") return { status: 202 }
  if (phase !== "finished") {
    const share = (context.clock.now() - job.startAt) / (job.endAt - job.startAt)
    return {
      status: 202,
      json: { status: "pending", progress: Math.min(99, Math.floor(share * 100)) },
    }
  }
  return { json: toVideo(context, job) }
}

function toVideo({ files }: StubContext, { id, data, endAt }: StubJob<VideoData>): Fields {
  const { body, outcome } = data
  if (outcome === "expired") return { status: "expired" }
  if (outcome === "failed") {
    return { status: "failed", error: { code: "internal_error", message: "Generation failed." } }
  }
  const film = readFilm({ duration: 6, ...body })
  const duration = (film.durationMs ?? 0) / 1_000
  const usage = { cost_in_usd_ticks: duration * 0.05 * TICKS }
  const told = { duration, respect_moderation: outcome === "done" }
  const url = outcome === "done" ? { url: files.add(id, film, endAt + FILES_LIVE_MS).url } : {}
  return { status: "done", progress: 100, video: { ...told, ...url }, usage }
}

function toError(status: number, error: string, code = "invalid_request"): StubReply {
  return { status, json: { code, error } }
}
