/**
 * Replicate's predictions. It honours no key, and what it lists carries nothing of ours: a purchase whose
 * answer is lost stays in doubt. A refusal for content is text, and an hour after its end all is gone.
 */
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CancelOutcome,
  type Json,
  type PollOutcome,
} from "@safelight/core"
import { cancelHandle } from "../cancel-handle.ts"
import { at, textAt } from "../json-path.ts"
import { defineProvider, type Reply } from "../provider.ts"
import { toRefused } from "../refusal.ts"
import { toToldCost } from "../told-cost.ts"
import { readTurnedAway } from "../turned-away.ts"
import { grokEdit, recraftPicture, seedanceFilm } from "./replicate-models.ts"

const POLL_AFTER_MS = 2_000
/** An hour, and what two clocks may differ by. */
const KEPT_MS = 65 * 60_000
const REFUSED_FOR_CONTENT = /\bE005\b|flagged as sensitive|NSFW/i

/** One URL, or a list of them: that is the model's choice. */
function readOutput(json: Json | undefined): PollOutcome | undefined {
  if (at(json, "data_removed") === true) return { kind: "refused", code: "no_output" }
  const urls = [at(json, "output")].flat().filter((each) => typeof each === "string")
  if (urls.length === 0) return undefined
  const endedAt = Date.parse(textAt(json, "completed_at") ?? "")
  const expiry = Number.isNaN(endedAt) ? {} : { expiresAt: endedAt + KEPT_MS }
  return { kind: "completed", outputs: urls.map((url) => ({ url, ...expiry })) }
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
  submission: { kind: "unkeyed" },
  concurrency: 8,
  submitTimeoutMs: 30_000,
  models: {
    [textToImage.id]: recraftPicture,
    [imageEdit.id]: grokEdit,
    [referenceToVideo.id]: seedanceFilm,
  },
  readCreate(reply) {
    const { json, status } = reply
    const get = textAt(json, "urls", "get")
    if ((status === 201 || status === 202) && get !== undefined) {
      return {
        kind: "accepted",
        operation: { get, cancel: textAt(json, "urls", "cancel") ?? null },
      }
    }
    const words = textAt(json, "detail")
    if (status !== 422 || words === undefined) return readTurnedAway(reply)
    return toRefused("provider_rejected", words)
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
      case "failed": {
        const words = textAt(json, "error")
        const isContent = REFUSED_FOR_CONTENT.test(words ?? "")
        const code = isContent ? "content_policy_violation" : "provider_rejected"
        // Its machine ran; for which models that is billed is nowhere said.
        return { ...toRefused(code, words), billed: "maybe" }
      }
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
