/**
 * The Gemini API's pictures, Imagen and Veo: `generativelanguage.googleapis.com` (paths begin with
 * `/v1` or `/v1beta`) and a host of signed URLs, at one origin. A film's URI wants the key and redirects to a
 * signed URL, which has no use for it. Vertex is not served, nor are webhooks, whose form is unproven.
 */
import { randomUUID } from "node:crypto"
import { findBodyFault, toPathText, type BodySchema } from "../frame/body-fault.ts"
import { isKnownModel } from "../frame/known-model.ts"
import { readCount, readFilm, readPicture } from "../frame/read-media.ts"
import { isObject, type StubCall } from "../frame/stub-call.ts"
import { isKey, refuseBy, type StubContext, type StubDefinition } from "../frame/stub-definition.ts"
import { createJobs, type StubJob, type StubJobs } from "../frame/stub-jobs.ts"
import { openRoute, route, type StubReply, type StubRoute } from "../frame/stub-route.ts"
import { CONTENT_BODY, FILM_BODY, PICTURE_BODY } from "./gemini-bodies.ts"
import { IMAGE_OUTCOMES, toGoogleError, VIDEO_OUTCOMES } from "./gemini-outcomes.ts"

type Fields = Readonly<Record<string, unknown>>

interface OperationData {
  readonly model: string
  readonly parameters: Fields
  /** Its result, if it is not a film. */
  readonly outcome: Fields | null
}

type Operation = StubJob<OperationData>

interface GeminiState {
  readonly context: StubContext
  readonly jobs: StubJobs<OperationData>
}

/**
 * The names of outcomes, `refuses-key`: a signed URL answers 400 to whoever sends it the key, and `no-credits`: films
 * are answered with a 429.
 */
const OWN_FAULTS = [
  ...Object.keys(IMAGE_OUTCOMES),
  ...Object.keys(VIDEO_OUTCOMES),
  "refuses-key",
  "no-credits",
]
const VERSIONS = ["v1", "v1beta"]
const TWO_DAYS_MS = 2 * 86_400_000

const refuse = refuseBy(toGoogleError, {
  unauthorized: [403, "PERMISSION_DENIED", "The API key is not valid."],
  "not-found": [404, "NOT_FOUND", "Requested entity was not found."],
  malformed: [400, "INVALID_ARGUMENT", "Invalid JSON payload received."],
  "too-large": [413, "INVALID_ARGUMENT", "Request payload size exceeds the limit."],
  broken: [500, "INTERNAL", "An internal error has occurred."],
  busy: [
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota.",
    [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }],
  ],
})

export const GEMINI: StubDefinition = {
  hosts: ["generativelanguage.googleapis.com", "signed.googleapis.stub"],
  filesHost: "signed.googleapis.stub",
  ownFaults: OWN_FAULTS,
  isAuthorized: hasKey,
  refuse,
  createRoutes(context) {
    const state = { context, jobs: createJobs<OperationData>(context) }
    return [
      ...VERSIONS.flatMap((version) => createVersion(state, `/${version}`)),
      openRoute("download", "GET /signed/{id}", (call) => {
        const isStrict = context.strikes("refuses-key")
        if (isStrict && hasKey(call))
          return toGoogleError(400, "INVALID_ARGUMENT", "No key is taken here.")
        return context.files.serve(call, `${call.params["id"]}.mp4`) ?? refuse("not-found")
      }),
    ]
  },
}

function createVersion(state: GeminiState, base: string): readonly StubRoute[] {
  const { context } = state
  const model = `${base}/models/{model}`
  return [
    route("create", `POST ${model}:generateContent`, (call) => generate(context, call)),
    route("create", `POST ${model}:predict`, (call) => predict(context, call)),
    route("create", `POST ${model}:predictLongRunning`, (call) => createFilm(state, call)),
    route(
      "poll",
      `GET ${model}/operations/{id}`,
      state.jobs.handle(
        (job) => showOperation(state, job),
        ({ data }, { params }) => data.model === params["model"],
      ),
    ),
    route("other", `GET ${model}`, ({ params }) =>
      isKnownModel(params["model"] ?? "")
        ? { json: { name: `models/${params["model"]}` } }
        : refuse("not-found"),
    ),
    route("other", `GET ${base}/models`, () => ({
      json: { models: [{ name: "models/gemini-3-pro-image" }] },
    })),
    route("download", `GET ${base}/files/{id}:download`, (call) => ({
      status: 302,
      headers: { location: context.toUrl(`/signed.googleapis.stub/signed/${call.params["id"]}`) },
    })),
  ]
}

function hasKey({ headers, query }: StubCall): boolean {
  const header = headers["x-goog-api-key"]
  return isKey(typeof header === "string" ? header : (query.get("key") ?? ""))
}

async function generate(context: StubContext, call: StubCall): Promise<StubReply> {
  const body = call.fields()
  const { generationConfig: config } = body
  const invalid = findInvalid(CONTENT_BODY, body)
  if (invalid !== undefined) return invalid
  const id = await buy(context, call, body)
  const fault = Object.keys(IMAGE_OUTCOMES).find((name) => context.strikes(name))
  const usage = { promptTokenCount: 10, candidatesTokenCount: 1_290, totalTokenCount: 1_300 }
  const told = { usageMetadata: usage, modelVersion: call.params["model"], responseId: id }
  if (fault !== undefined) return { json: { ...IMAGE_OUTCOMES[fault], ...told } }
  const image = isObject(config) && isObject(config["imageConfig"]) ? config["imageConfig"] : {}
  const picture = readPicture({
    aspect_ratio: image["aspectRatio"],
    resolution: image["imageSize"],
  })
  const data = context.files.render(id, picture).toString("base64")
  const parts = [{ inlineData: { mimeType: picture.type, data } }]
  const candidate = { index: 0, content: { role: "model", parts }, finishReason: "STOP" }
  return { json: { candidates: [candidate], ...told } }
}

async function predict(context: StubContext, call: StubCall): Promise<StubReply> {
  const body = call.fields()
  const invalid = findInvalid(PICTURE_BODY, body)
  if (invalid !== undefined) return invalid
  const parameters = isObject(body["parameters"]) ? body["parameters"] : {}
  const id = await buy(context, call, body)
  const picture = readPicture({ aspect_ratio: parameters["aspectRatio"] })
  const predictions = Array.from({ length: readCount(parameters["sampleCount"]) }, (_, index) => {
    const bytes = context.files.render(`${id}-${index}`, picture)
    return { mimeType: picture.type, bytesBase64Encoded: bytes.toString("base64") }
  })
  const isFiltered = context.strikes("image-safety")
  const reason = "The image was filtered by safety settings."
  return { json: { predictions: isFiltered ? [{ raiFilteredReason: reason }] : predictions } }
}

/** As this API words it. */
function findInvalid(schema: BodySchema, body: Fields): StubReply | undefined {
  const fault = findBodyFault(schema, body)
  if (fault === undefined) return undefined
  const { kind, path, words } = fault
  const [name, place] = [path.at(-1) ?? "", toPathText(path.slice(0, -1))]
  const told = {
    missing: `${toPathText(path)} is not specified`,
    unknown: `Invalid JSON payload received. Unknown name "${name}" at '${place}': Cannot find field.`,
    invalid: `Invalid value at '${toPathText(path)}': ${words}`,
  }
  return toGoogleError(400, "INVALID_ARGUMENT", told[kind])
}

async function buy(context: StubContext, call: StubCall, body: Fields): Promise<string> {
  const id = randomUUID()
  context.record({ id, key: null, endpoint: call.params["model"] ?? "", body })
  await context.waitUntil(context.clock.now() + context.queueMs + context.runMs)
  return id
}

function createFilm({ context, jobs }: GeminiState, call: StubCall): StubReply {
  const body = call.fields()
  if (context.strikes("no-credits")) {
    return toGoogleError(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.")
  }
  const { model = "" } = call.params
  const invalid = findInvalid(FILM_BODY, body)
  if (invalid !== undefined) return invalid
  const parameters = isObject(body["parameters"]) ? body["parameters"] : {}
  const fault = Object.keys(VIDEO_OUTCOMES).find((name) => context.strikes(name))
  const outcome = VIDEO_OUTCOMES[fault ?? ""] ?? null
  const id = randomUUID().replaceAll("-", "").slice(0, 12)
  const job = jobs.open(id, { model, parameters, outcome })
  context.record({ id: job.id, key: null, endpoint: model, body })
  return { json: { name: toName(job) } }
}

function toName({ id, data }: Operation): string {
  return `models/${data.model}/operations/${id}`
}

function showOperation({ context, jobs }: GeminiState, job: Operation): StubReply {
  const name = toName(job)
  if (jobs.phaseOf(job) !== "finished") return { json: { name } }
  const { outcome, parameters } = job.data
  if (outcome !== null) return { json: { name, done: true, ...outcome } }
  const count = readCount(parameters["sampleCount"])
  const generatedSamples = Array.from({ length: count }, (_, index) => {
    const fileName = `${job.id}-${index}`
    const { aspectRatio: ratio, resolution, durationSeconds: duration = 8 } = parameters
    const film = readFilm({ aspect_ratio: ratio, resolution, duration })
    context.files.add(fileName, film, job.endAt + TWO_DAYS_MS)
    const uri = context.toUrl(`/v1beta/files/${fileName}:download?alt=media`)
    return { video: { uri } }
  })
  const response = { generateVideoResponse: { generatedSamples } }
  return { json: { name, done: true, response } }
}
