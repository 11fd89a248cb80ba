/**
 * Seedance 2.5 under our own names; any other model gets the parameters as its body. The key has two parts,
 * `ID:SECRET`.
 *
 * - How long it honours idempotency keys is not stated: without `keyTtlMs` the channel is unkeyed.
 * - `failed` is not charged, so another attempt follows.
 *
 * Assumed: a `400`, `422` or `423` created nothing, a prompt is required, and outputs stay at its two hosts.
 */
// A `422` about the key itself leaves the purchase in doubt. A `400` about concurrency means that there is no room;
// only its text distinguishes it from a fault of the request. Its webhooks are not used: a key would include their
// address, so no purchase could be repeated after the service's address changed.
import {
  isDataUrl,
  referenceToVideo,
  type CancelOutcome,
  type Json,
  type ParameterValues,
  type PollOutcome,
  type ReferenceToVideoParameters,
} from "@safelight/core"
import { acceptsUnless, countReferences } from "../declaration/eligibility.ts"
import { defineProvider, type CreateOutcome } from "../declaration/provider.ts"
import {
  toJson,
  type Asked,
  type InputRule,
  type ProviderModel,
} from "../declaration/provider-model.ts"
import type { ProviderRequest, Reply } from "../declaration/provider-request.ts"
import {
  at,
  cancelHandle,
  findUrls,
  listAt,
  readTurnedAway,
  textAt,
  toCompleted,
  toRefused,
} from "../declaration/read-reply.ts"

/** What its documentation asks for at the beginning. */
const POLL_AFTER_MS = 2_000
const NO_ROOM = /concurren/i
/** The key belongs to another request, which may have been bought. */
const KEY_HELD = /idempotency/i

const LINK: InputRule = { by: "link" }

const MODEL = "bytedance/seedance-2.5/reference-to-video"

const film: ProviderModel<ReferenceToVideoParameters> = {
  upstream: MODEL,
  accepts(asked, { canLink }) {
    const isTaken = (urls: readonly string[] = []): boolean => canLink || !urls.some(isDataUrl)
    const { films, images, sounds } = countReferences(asked)
    const reason = "media are taken by URL alone"
    return acceptsUnless({
      resolution: asked.resolution === "1080p" && "resolution 1080p is not offered",
      prompt: !asked.prompt && "a prompt is needed",
      image_urls:
        (films + images + sounds === 0 && "a reference is needed") ||
        (!isTaken(asked.image_urls) && reason),
      video_urls: !isTaken(asked.video_urls) && reason,
      audio_urls: !isTaken(asked.audio_urls) && reason,
    })
  },
  inputs: { image_urls: LINK, video_urls: LINK, audio_urls: LINK },
  toRequest,
}

function toRequest(
  parameters: ParameterValues,
  key: string,
  { upstream }: Pick<Asked, "upstream">,
): ProviderRequest {
  const headers = { "idempotency-key": key }
  return { method: "POST", path: `/${upstream}`, headers, json: toJson(parameters) }
}

/** Undefined if the refusal has no known form. */
function readRefusal(reply: Reply): CreateOutcome | undefined {
  const { json, status } = reply
  const words = textAt(json, "detail") ?? textAt(json, "detail", 0, "msg")
  if (status === 423) {
    return { kind: "not-created", reason: "provider_answered_423", needsOperator: true }
  }
  if (status !== 400 && status !== 422) return readTurnedAway(reply)
  if (words === undefined || KEY_HELD.test(words)) return undefined
  if (status === 400 && NO_ROOM.test(words)) return readTurnedAway({ ...reply, status: 429 })
  return toRefused("provider_rejected", words)
}

/** Of models that are not built in: a file, or a list of files. */
const OTHER_MEDIA: readonly string[] = ["image", "videos", "audio", "audios", "model", "models"]

function readState(json: Json | undefined): PollOutcome | undefined {
  switch (textAt(json, "status")) {
    case "queued":
    case "in_progress":
      return { kind: "running", pollAfterMs: POLL_AFTER_MS }
    case "completed": {
      const media = [at(json, "video") ?? null, ...listAt(json, "images")]
      const urls = media.flatMap((each) => textAt(each, "url") ?? [])
      if (urls.length > 0) return toCompleted(urls)
      return toCompleted(findUrls(OTHER_MEDIA.map((name) => at(json, name) ?? null)))
    }
    case "nsfw":
      return { kind: "refused", code: "content_policy_violation" }
    case "failed":
      return { kind: "not-created", reason: "provider_failed" }
    case "canceled":
      return { kind: "refused", code: "task_cancelled" }
    case undefined:
    default:
      return undefined
  }
}

/** Only what is not yet begun can be stopped. */
function readCancelled({ json, status }: Reply): CancelOutcome {
  if (status === 400) return "too-late"
  return textAt(json, "status") === "canceled" ? "stopped" : "unknown"
}

export const higgsfield = defineProvider({
  name: "higgsfield",
  title: "Higgsfield",
  baseUrl: "https://api.higgsfield.ai",
  keyVariable: "HIGGSFIELD_KEY",
  authorize: (key) => ({ authorization: `Key ${key}` }),
  // Its files are at a distribution of its own at CloudFront.
  outputHosts: ["*.higgsfield.ai", "d8j0ntlcm91z4.cloudfront.net"],
  submission: { kind: "keyed-unstated" },
  concurrency: 2,
  submitTimeoutMs: 60_000,
  models: { [referenceToVideo.id]: film },
  toModel: () => ({ toRequest }),
  mediaInputs: { image: LINK, video: LINK, audio: LINK },
  readCreate(reply) {
    const { json, status } = reply
    const [id, state] = ["request_id", "status_url"].map((name) => textAt(json, name))
    if ((status === 200 || status === 202) && id !== undefined && state !== undefined) {
      const cancel = textAt(json, "cancel_url") ?? null
      return { kind: "accepted", operation: { id, state, cancel } }
    }
    return readRefusal(reply)
  },
  outOfMoney: /not enough credits/i,
  async poll(operation, send) {
    const path = textAt(operation, "state") ?? ""
    const { json, status } = await send({ method: "GET", path })
    return status === 200 ? readState(json) : undefined
  },
  cancel: (operation, send) => cancelHandle(operation, send, "POST", readCancelled),
})
