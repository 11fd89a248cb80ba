/**
 * Another Safelight. It takes the same requests, so nothing is changed in between. Our upstream key is its
 * `Idempotency-Key`, so a purchase whose answer is lost is repeated under it.
 */
import { imageEdit, referenceToVideo, textToImage, type Json, type Refused } from "@safelight/core"
import { defineProvider, type ProviderModel } from "../provider.ts"
import { readTurnedAway, textAt, toRefused } from "../read-reply.ts"
import { checkSafelight } from "./safelight-check.ts"
import { countAt, readEnd, toSegment } from "./safelight-result.ts"

/** It forgets a key after 14 days; a day is more than a request's way and two clocks' difference. */
const KEY_TTL_MS = 13 * 86_400_000

const POLL_AFTER_MS = 2_000

const model: ProviderModel = {
  toRequest: (parameters, upstreamKey, { hops = 0, model: id }) => ({
    method: "POST",
    path: "/v1/tasks",
    headers: { "idempotency-key": upstreamKey, "safelight-hops": String(hops + 1) },
    json: { model: id, parameters } as Json,
  }),
}

/** Its words are no client's: they are kept as those of any provider. */
function toRejection(json: Json | undefined): Refused {
  const refused = toRefused("provider_rejected", textAt(json, "error", "message"))
  if (textAt(json, "error", "code") !== "too_many_hops") return refused
  return { ...refused, message: "The channels of several services lead in a circle." }
}

export const safelight = defineProvider({
  name: "safelight",
  keyVariable: "SAFELIGHT_UPSTREAM_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: [],
  outputsNeedKey: true,
  submission: { kind: "keyed", keyTtlMs: KEY_TTL_MS },
  // An account may read 20 times a second there, unless it is said otherwise.
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
    // Asked too often: there is no news, and no fault.
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
  check: checkSafelight,
})
