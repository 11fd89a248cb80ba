/**
 * Ark of BytePlus and of Volcengine, which have one API. Films are tasks, pictures come in the answer to the
 * purchase. No idempotency key is honoured, so a purchase whose answer is lost stays in doubt.
 */
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CancelOutcome,
  type Json,
  type PollOutcome,
} from "@safelight/core"
import { defineProvider, type CreateOutcome, type Reply } from "../provider.ts"
import { at, listAt, readTurnedAway, textAt, toRefused, toToldCost } from "../read-reply.ts"
import { seedanceTask, seedreamEdit, seedreamPicture, TASKS } from "./ark-models.ts"

/** A film takes minutes. */
const POLL_AFTER_MS = 5_000
/** A day, and the difference of two clocks. */
const KEPT_MS = 24 * 3_600_000 + 5 * 60_000
const SENSITIVE = /^(Input|Output)[A-Za-z]*SensitiveContentDetected/
const INVALID = /^Invalid/

interface Linked {
  readonly url: string
  readonly expiresAt?: number
}

/** `since` is in seconds. */
function toLinked(url: string, since: Json | undefined): Linked {
  return { url, ...(typeof since === "number" && { expiresAt: since * 1_000 + KEPT_MS }) }
}

function readError(error: Json | undefined): CreateOutcome & PollOutcome {
  const code = textAt(error, "code") ?? ""
  const words = textAt(error, "message")
  if (SENSITIVE.test(code)) return toRefused("content_policy_violation", words)
  if (INVALID.test(code)) return toRefused("provider_rejected", words)
  // Only successes are billed, and another attempt may succeed.
  return { kind: "not-created", reason: "provider_failed" }
}

/** The one picture, or the error in its place. */
function readPictures(json: Json | undefined): CreateOutcome | undefined {
  const [first] = listAt(json, "data")
  const url = textAt(first, "url")
  if (url !== undefined) {
    const picture = toLinked(url, at(json, "created"))
    // It can't be asked for again: its URL is the operation, so that a crash does not lose it.
    const made = at(json, "usage", "generated_images") ?? null
    return { kind: "accepted", operation: { picture: { ...picture }, made } }
  }
  const error = at(first, "error")
  return error === undefined ? undefined : readError(error)
}

function readFilm(json: Json | undefined): PollOutcome | undefined {
  const url = textAt(json, "content", "video_url")
  if (url !== undefined) {
    return { kind: "completed", outputs: [toLinked(url, at(json, "updated_at"))] }
  }
  return at(json, "content") === null ? { kind: "refused", code: "no_output" } : undefined
}

function toPath(operation: Json): string {
  return `${TASKS}/${encodeURIComponent(textAt(operation, "id") ?? "")}`
}

/** A task that has begun to run meanwhile is not removed (409). */
function readRemoved({ status }: Reply): CancelOutcome {
  if (status === 200) return "stopped"
  return status === 409 ? "too-late" : "unknown"
}

export const ark = defineProvider({
  name: "ark",
  baseUrl: "https://ark.ap-southeast.bytepluses.com",
  keyVariable: "ARK_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.bytepluses.com", "*.volces.com"],
  submission: { kind: "unkeyed" },
  concurrency: 2,
  // The answer holds the picture, and one of 2K takes long.
  submitTimeoutMs: 180_000,
  models: {
    // First, since the channel contract polls the first model's operation, and a picture's is never polled.
    [referenceToVideo.id]: seedanceTask,
    [textToImage.id]: seedreamPicture,
    [imageEdit.id]: seedreamEdit,
  },
  readCreate(reply) {
    const { json, status } = reply
    const id = textAt(json, "id")
    if (status === 200 && id !== undefined) return { kind: "accepted", operation: { id } }
    if (status === 200) return readPictures(json)
    const code = textAt(json, "error", "code") ?? ""
    if (status === 400 && code !== "") {
      const words = textAt(json, "error", "message")
      const isContent = SENSITIVE.test(code)
      return toRefused(isContent ? "content_policy_violation" : "provider_rejected", words)
    }
    if (status === 429 && code.startsWith("QuotaExceeded")) {
      return { kind: "not-created", reason: "provider_quota_exceeded" }
    }
    return readTurnedAway(reply)
  },
  outOfMoney: /^AccountOverdue/,
  pollEvery: { shortestMs: 5_000, longestMs: 20_000 },
  webhook: {
    scheme: { kind: "none" },
    addTo(request, { url }) {
      if (request.path !== TASKS) return request
      const json = { ...(request.json as Readonly<Record<string, Json>>), callback_url: url }
      return { ...request, json }
    },
  },
  async poll(operation, send) {
    const picture = at(operation, "picture")
    if (picture !== undefined) {
      return { kind: "completed", outputs: [picture as Json & Linked] }
    }
    const { json, status } = await send({ method: "GET", path: toPath(operation) })
    if (status !== 200) return undefined
    switch (textAt(json, "status")) {
      case "queued":
      case "running":
        return { kind: "running", pollAfterMs: POLL_AFTER_MS }
      case "succeeded":
        return readFilm(json)
      case "failed":
        return readError(at(json, "error"))
      case "expired":
        return { kind: "not-created", reason: "provider_failed" }
      case "cancelled":
        return { kind: "refused", code: "task_cancelled" }
      case undefined:
      default:
        return undefined
    }
  },
  readCost: (reply, operation) =>
    toToldCost(at(reply?.json, "usage", "total_tokens"), "tokens") ??
    toToldCost(at(operation, "made"), "images"),
  /** On a task that has ended, DELETE removes the record and the result: so the state is asked first. */
  async cancel(operation, send) {
    if (at(operation, "picture") !== undefined) return "too-late"
    const path = toPath(operation)
    const { json } = await send({ method: "GET", path })
    switch (textAt(json, "status")) {
      case "queued":
        return readRemoved(await send({ method: "DELETE", path }))
      case "running":
      case "succeeded":
        return "too-late"
      case "cancelled":
      case "expired":
      case "failed":
        return "stopped"
      case undefined:
      default:
        return "unknown"
    }
  },
})
