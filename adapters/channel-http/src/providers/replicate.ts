/**
 * Replicate's predictions. It honours no key: a purchase whose answer is lost stays in doubt until its
 * webhook names it. A refusal for content is told by its text alone. Outputs are gone an hour after the end.
 */
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CancelOutcome,
  type Json,
  type PollOutcome,
} from "@safelight/core"
import { unavailable } from "../channel-fault.ts"
import { defineProvider, type Reply } from "../provider.ts"
import {
  at,
  cancelHandle,
  findUrls,
  readTurnedAway,
  textAt,
  toRefused,
  toToldCost,
} from "../read-reply.ts"
import { grokEdit, recraftPicture, seedanceFilm } from "./replicate-models.ts"

const POLL_AFTER_MS = 2_000
/** An hour, and the difference of two clocks. */
const KEPT_MS = 65 * 60_000
const REFUSED_FOR_CONTENT = /\bE005\b|flagged as sensitive|NSFW/i
/**
 * A failure of Replicate's machines, by its text alone: the model is too busy (E003, E004), the machine was taken
 * away or has too little memory, or a code of four digits, which are its own faults.
 */
const MACHINE_FAILED = /\bE(?:003|004|\d{4})\b|please retry \(code: |out of memory/i
/** Statuses of a request that was judged and not taken. */
const INVALID: ReadonlySet<number> = new Set([400, 413, 422])

/** One URL, a list or an object of them: that is the model's choice. */
function readOutput(json: Json | undefined): PollOutcome {
  if (at(json, "data_removed") === true) return { kind: "refused", code: "no_output" }
  const urls = findUrls(at(json, "output"))
  const endedAt = Date.parse(textAt(json, "completed_at") ?? "")
  const expiry = Number.isNaN(endedAt) ? {} : { expiresAt: endedAt + KEPT_MS }
  return { kind: "completed", outputs: urls.map((url) => ({ url, ...expiry })) }
}

function readFailure(words: string): PollOutcome {
  const isContent = REFUSED_FOR_CONTENT.test(words)
  if (!isContent && MACHINE_FAILED.test(words)) {
    return { kind: "not-created", reason: "provider_failed" }
  }
  const code = isContent ? "content_policy_violation" : "provider_rejected"
  // Its machine ran. Which models bill that is not documented.
  return { ...toRefused(code, words === "" ? undefined : words), billed: "maybe" }
}

function readHandle(json: Json | undefined): Json | undefined {
  const get = textAt(json, "urls", "get")
  return get === undefined ? undefined : { get, cancel: textAt(json, "urls", "cancel") ?? null }
}

/** The answer is the prediction as it is now. */
function readCancelled({ json }: Reply): CancelOutcome {
  switch (textAt(json, "status")) {
    case "aborted":
    case "canceled":
    case "failed":
      return "stopped"
    case "succeeded":
      return "too-late"
    case undefined:
    default:
      return "unknown"
  }
}

export const replicate = defineProvider({
  name: "replicate",
  baseUrl: "https://api.replicate.com",
  keyVariable: "REPLICATE_API_TOKEN",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.replicate.delivery", "replicate.delivery"],
  // A prediction repeats its input.
  answersHoldMedia: true,
  submission: { kind: "unkeyed" },
  concurrency: 8,
  submitTimeoutMs: 30_000,
  models: {
    [textToImage.id]: recraftPicture,
    [imageEdit.id]: grokEdit,
    [referenceToVideo.id]: seedanceFilm,
  },
  async upload({ content }, send) {
    const form = new FormData()
    form.set("content", content, "input")
    const url = textAt(
      (await send({ method: "POST", path: "/v1/files", form })).json,
      "urls",
      "get",
    )
    if (url !== undefined) return url
    throw unavailable("replicate took no file")
  },
  readCreate(reply) {
    const { json, status } = reply
    const operation = readHandle(json)
    if ((status === 201 || status === 202) && operation !== undefined) {
      return { kind: "accepted", operation }
    }
    const words = textAt(json, "detail")
    if (!INVALID.has(status) || words === undefined) return readTurnedAway(reply)
    return toRefused("provider_rejected", words)
  },
  webhook: {
    scheme: { kind: "standard-webhooks", secretVariable: "REPLICATE_WEBHOOK_SECRET" },
    addTo(request, { url }) {
      // The first event names a lost purchase at once; Replicate delivers the last one again if that fails.
      const events = { webhook: url, webhook_events_filter: ["start", "completed"] }
      return {
        ...request,
        json: { ...(request.json as Readonly<Record<string, Json>>), ...events },
      }
    },
    readOperation: readHandle,
  },
  async poll(operation, send) {
    const { json, status } = await send({ method: "GET", path: textAt(operation, "get") ?? "" })
    if (status !== 200) return undefined
    switch (textAt(json, "status")) {
      case "starting":
      case "processing":
        return { kind: "running", pollAfterMs: POLL_AFTER_MS }
      case "succeeded":
        return readOutput(json)
      case "failed":
        return readFailure(textAt(json, "error") ?? "")
      case "aborted":
      case "canceled":
        return { kind: "refused", code: "task_cancelled" }
      case undefined:
      default:
        return undefined
    }
  },
  readCost: (reply) => toToldCost(at(reply?.json, "metrics", "predict_time"), "predict_seconds"),
  cancel: (operation, send) => cancelHandle(operation, send, "POST", readCancelled),
})
