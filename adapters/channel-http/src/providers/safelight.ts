/**
 * Another Safelight. It takes the same requests, so they are sent unchanged. Our upstream key is its
 * `Idempotency-Key`, so a purchase whose answer is lost is sent again with it.
 */
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CancelOutcome,
  type Json,
  type Refused,
} from "@safelight/core"
import { defineProvider, type ProviderModel, type Reply } from "../provider.ts"
import { at, readTurnedAway, textAt, toRefused } from "../read-reply.ts"
import { checkSafelight } from "./safelight-check.ts"
import { countAt, readEnd, toSegment } from "./safelight-result.ts"

/** It forgets a key after 14 days; a day is more than a request takes and two clocks differ. */
const KEY_TTL_MS = 13 * 86_400_000

const POLL_AFTER_MS = 2_000

const model: ProviderModel = {
  toRequest: (parameters, upstreamKey, { hops = 0, model: id, traceparent }) => ({
    method: "POST",
    path: "/v1/tasks",
    headers: {
      "idempotency-key": upstreamKey,
      "safelight-hops": String(hops + 1),
      ...(traceparent !== undefined && { traceparent }),
    },
    json: { model: id, parameters } as Json,
  }),
}

/** Its message is not for our clients: it is kept like that of any provider. */
function toRejection(json: Json | undefined): Refused {
  const refused = toRefused("provider_rejected", textAt(json, "error", "message"))
  if (textAt(json, "error", "code") !== "too_many_hops") return refused
  return { ...refused, message: "The channels of several services lead in a circle." }
}

/** What it charges for a task that it ended, the next poll tells; and why a task had failed before. */
function readCancellation({ json, status }: Reply): CancelOutcome {
  const outcome = textAt(json, "outcome")
  if (status !== 200 || outcome === undefined) return "unknown"
  const hasEnded = textAt(json, "task", "status") === "failed" && outcome !== "too_late"
  if (hasEnded && at(json, "charge_micros") === 0) return "stopped"
  return hasEnded || outcome === "too_late" ? "too-late" : "unknown"
}

export const safelight = defineProvider({
  name: "safelight",
  keyVariable: "SAFELIGHT_UPSTREAM_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: [],
  outputsNeedKey: true,
  submission: { kind: "keyed", keyTtlMs: KEY_TTL_MS },
  // An account may read 20 times a second there by default.
  concurrency: 16,
  // With references as data URLs a request may have 64 MiB.
  submitTimeoutMs: 60_000,
  models: { [textToImage.id]: model, [imageEdit.id]: model, [referenceToVideo.id]: model },
  otherModels: model,
  relays: true,
  readCreate(reply) {
    const { json, status } = reply
    const id = textAt(json, "task_id")
    if (status === 202 && id !== undefined) return { kind: "accepted", operation: { id } }
    const code = textAt(json, "error", "code")
    if (status === 409 && code === "idempotency_key_in_use") return { kind: "pending" }
    if (status === 413) return toRefused("media_too_large", textAt(json, "error", "message"))
    if (status !== 400 || code === undefined) return readTurnedAway(reply)
    if (code === "model_not_found") return { kind: "not-created", reason: code }
    return toRejection(json)
  },
  async poll(operation, send) {
    const path = `/v1/tasks/${toSegment(operation, "id")}`
    const { json, retryAfterMs = POLL_AFTER_MS, status } = await send({ method: "GET", path })
    // Polled too often: the answer tells nothing, and nothing failed.
    if (status === 429) return { kind: "running", pollAfterMs: retryAfterMs }
    if (status !== 200) return undefined
    const state = textAt(json, "status")
    if (state === "queued" || state === "running") {
      const progress = countAt(json, "progress")
      const told = progress >= 1 && progress <= 99 ? { progress } : {}
      return { kind: "running", pollAfterMs: retryAfterMs, ...told }
    }
    return state === "succeeded" || state === "failed" ? readEnd(path, json, send) : undefined
  },
  async cancel(operation, send) {
    const path = `/v1/tasks/${toSegment(operation, "id")}/cancel`
    return readCancellation(await send({ method: "POST", path }))
  },
  check: checkSafelight,
})
