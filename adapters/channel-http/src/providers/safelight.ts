/**
 * It gets the same requests, for the public models or those that `models` names.
 *
 * - It remembers our upstream key for 14 days, so a purchase is sent again for 13. Erasing a task there erases its
 *   key too.
 * - A task that failed there fails here with the same code, and is charged here if it was charged there. Another
 *   attempt follows only after `provider_unavailable`.
 * - Outputs are fetched below `baseUrl` alone, with the key, and must have the SHA-256 of their `Repr-Digest`.
 * - It is polled every two seconds for each task: the account there needs a read rate to match. Let
 *   `engine.endAfterMs` be longer than there, or a task that has ended here may still be charged there.
 * - A circle of services ends after five hops.
 * - The key needs the scopes `tasks:write`, `tasks:read` and `artifacts:read`; the check proves them, and the
 *   models.
 */
import {
  imageEdit,
  isFailureCode,
  referenceToVideo,
  textToImage,
  type CancelOutcome,
  type ChannelCheck,
  type Completed,
  type Json,
  type LinkedOutput,
  type PollOutcome,
  type Refused,
} from "@safelight/core"
import { defineProvider } from "../declaration/provider.ts"
import { toJson, type ProviderModel } from "../declaration/provider-model.ts"
import type { ProviderRequest, Reply, Send } from "../declaration/provider-request.ts"
import {
  at,
  listAt,
  numberAt,
  progressAt,
  readTurnedAway,
  textAt,
  toRefused,
  toRejected,
} from "../declaration/read-reply.ts"

/** It forgets a key after 14 days; a day is more than a request takes and two clocks differ. */
const KEY_TTL_MS = 13 * 86_400_000

const POLL_AFTER_MS = 2_000

const model: ProviderModel = {
  toRequest: (parameters, upstreamKey, { hops = 0, traceparent, upstream }) => ({
    method: "POST",
    path: "/v1/tasks",
    headers: {
      "idempotency-key": upstreamKey,
      "safelight-hops": String(hops + 1),
      ...(traceparent !== undefined && { traceparent }),
    },
    json: { model: upstream, parameters: toJson(parameters) },
  }),
}

/** Its message is not for our clients: it is kept like that of any provider. */
function toRejection(json: Json | undefined): Refused {
  const refused = toRejected(false, textAt(json, "error", "message"))
  if (textAt(json, "error", "code") !== "too_many_hops") return refused
  return { ...refused, message: "The channels of several services lead in a circle." }
}

/** The next poll reads the charge of a task that it ended, and why a task had failed before. */
function readCancellation({ json, status }: Reply): CancelOutcome {
  const outcome = textAt(json, "outcome")
  if (status !== 200 || outcome === undefined) return "unknown"
  const hasEnded = textAt(json, "task", "status") === "failed" && outcome !== "too_late"
  if (hasEnded && at(json, "charge_micros") === 0) return "stopped"
  return hasEnded || outcome === "too_late" ? "too-late" : "unknown"
}

/** More than any model makes; each is asked about. */
const MOST_OUTPUTS = 64

/** Of a task that is over; undefined if the answers don't say it. `path` is the task's. */
async function readEnd(
  path: string,
  task: Json | undefined,
  send: Send,
): Promise<PollOutcome | undefined> {
  const { json: usage, status } = await send({ method: "GET", path: `${path}/usage` })
  if (status !== 200 || usage === undefined) return undefined
  if (textAt(task, "status") === "failed") return readFailure(task, usage)
  return readResult(path, usage, send)
}

/**
 * The task fails here with the same code, and is charged here if it was charged there. An unknown outcome there
 * is an end here too, since another attempt could buy the work again. Only a task that never found a provider
 * may be tried again.
 */
function readFailure(task: Json | undefined, usage: Json): PollOutcome {
  const code = textAt(task, "error", "code") ?? ""
  if (code === "provider_unavailable") return { kind: "not-created", reason: code }
  const known = isFailureCode(code) ? code : "provider_rejected"
  const refused = toRefused(known, textAt(task, "error", "message"))
  if ((numberAt(usage, "charge_micros") ?? 0) === 0) return refused
  const images = numberAt(usage, "usage", "images") ?? 0
  const outputVideoMs = numberAt(usage, "usage", "output_video_ms") ?? 0
  return { ...refused, billed: { images, outputVideoMs } }
}

async function readResult(path: string, usage: Json, send: Send): Promise<Completed | undefined> {
  const { json, status } = await send({ method: "GET", path: `${path}/artifacts` })
  if (status !== 200 || !Array.isArray(at(json, "artifacts"))) return undefined
  const listed = listAt(json, "artifacts").slice(0, MOST_OUTPUTS)
  const found = await Promise.all(
    listed.map((artifact) => findOutput(`${path}/artifacts/${toSegment(artifact, "key")}`, send)),
  )
  if (found.includes(undefined)) return undefined
  const outputs = found.flatMap((output, position): LinkedOutput[] => {
    const expiresAt = numberAt(listed[position], "expires_at")
    if (typeof output !== "object") return []
    return [expiresAt === undefined ? output : { ...output, expiresAt: expiresAt * 1_000 }]
  })
  const inputVideosMs = listAt(usage, "usage", "input_videos_ms").flatMap(
    (each) => numberAt(each) ?? [],
  )
  return { kind: "completed", outputs, ...(inputVideosMs.length > 0 && { inputVideosMs }) }
}

/** Undefined if the answer says nothing. `gone` is no reason to give up the other outputs. */
async function findOutput(path: string, send: Send): Promise<LinkedOutput | "gone" | undefined> {
  const url = `${path}/content`
  const { headers, status } = await send({ method: "HEAD", path: url })
  if (status === 410) return "gone"
  if (status !== 200) return undefined
  const [, digest] =
    /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers["repr-digest"] ?? "") ?? []
  if (digest === undefined) return { url }
  return { url, sha256: Buffer.from(digest, "base64").toString("hex") }
}

/** For a path: the text that is `member` of `value`. */
function toSegment(value: Json | undefined, member: string): string {
  return encodeURIComponent(textAt(value, member) ?? "")
}

/** A task that does not exist. */
const NO_TASK = "/v1/tasks/00000000-0000-4000-8000-000000000000"

/** By scope: a request that it is needed for, which does nothing, and what answers it once that is passed. */
const NEEDED: Readonly<Record<string, readonly [ProviderRequest, status: number, code?: string]>> =
  {
    // Without a body nothing is created, and the scope is judged before the body.
    "tasks:write": [{ method: "POST", path: "/v1/tasks" }, 415, "unsupported_media_type"],
    "tasks:read": [{ method: "GET", path: NO_TASK }, 404, "task_not_found"],
    "artifacts:read": [{ method: "GET", path: `${NO_TASK}/artifacts` }, 404, "task_not_found"],
  }

async function checkSafelight(send: Send, models: readonly string[]): Promise<ChannelCheck> {
  for (const [scope, [request, passed, code]] of Object.entries(NEEDED)) {
    // oxlint-disable-next-line no-await-in-loop -- the first that fails says enough
    const { json, status } = await send(request)
    if (status === 401) return { kind: "refused", reason: "it refuses the key (401)" }
    if (status === 403) {
      return { kind: "refused", reason: `it does not let the key do ${scope} (403)` }
    }
    if (status !== passed || textAt(json, "error", "code") !== code) {
      return { kind: "unavailable", reason: `it answers ${status}, as no Safelight does` }
    }
  }
  const lacking = await findLacking(send, models)
  if (lacking.length === 0) return { kind: "ready", key: "taken" }
  return { kind: "unavailable", reason: `it has no model ${lacking.join(", ")}` }
}

/** Of `models` those that it doesn't know. They are asked for one by one: its document has no bound. */
async function findLacking(send: Send, models: readonly string[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    models.map(async (id) => {
      const path = `/v1/models/${id.split("/").map(encodeURIComponent).join("/")}`
      const { json, status } = await send({ method: "GET", path })
      return { id, isLacking: status === 404 && textAt(json, "error", "code") === "not_found" }
    }),
  )
  return answers.filter(({ isLacking }) => isLacking).map(({ id }) => id)
}

export const safelight = defineProvider({
  name: "safelight",
  title: "Another Safelight",
  keyVariable: "SAFELIGHT_UPSTREAM_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: [],
  outputsNeedKey: true,
  submission: { kind: "keyed", keyTtlMs: KEY_TTL_MS },
  // An account may read 20 times a second there by default.
  concurrency: 16,
  // With data URLs a request may have 64 MiB.
  submitTimeoutMs: 60_000,
  models: { [textToImage.id]: model, [imageEdit.id]: model, [referenceToVideo.id]: model },
  toModel: () => model,
  relays: true,
  readCreate(reply) {
    const { json, status } = reply
    const id = textAt(json, "task_id")
    if (status === 202 && id !== undefined) return { kind: "accepted", operation: { id } }
    const code = textAt(json, "error", "code")
    if (status === 409 && code === "idempotency_key_in_use") return { kind: "pending" }
    if (status === 413) return toRefused("media_too_large", textAt(json, "error", "message"))
    if (status === 503 && code === "model_unavailable") return { kind: "not-created", reason: code }
    if (status !== 400 || code === undefined) return readTurnedAway(reply)
    if (code === "model_not_found") return { kind: "not-created", reason: code }
    return toRejection(json)
  },
  async poll(operation, send) {
    const path = `/v1/tasks/${toSegment(operation, "id")}`
    const { json, retryAfterMs = POLL_AFTER_MS, status } = await send({ method: "GET", path })
    // Polled too often: nothing failed.
    if (status === 429) return { kind: "running", pollAfterMs: retryAfterMs }
    if (status !== 200) return undefined
    const state = textAt(json, "status")
    if (state === "queued" || state === "running") {
      return { kind: "running", pollAfterMs: retryAfterMs, ...progressAt(json, "progress") }
    }
    return state === "succeeded" || state === "failed" ? readEnd(path, json, send) : undefined
  },
  async cancel(operation, send) {
    const path = `/v1/tasks/${toSegment(operation, "id")}/cancel`
    return readCancellation(await send({ method: "POST", path }))
  },
  check: checkSafelight,
})
