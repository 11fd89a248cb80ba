/**
 * Higgsfield's Seedance, which has our names. A key is honoured in whatever state its work is; for how long
 * is not stated. A 400 may be a fault of the request or a lack of room: only its text tells which.
 */
import {
  referenceToVideo,
  type CancelOutcome,
  type Ineligible,
  type Json,
  type ParameterValues,
  type PollOutcome,
  type ReferenceToVideoParameters,
} from "@safelight/core"
import { acceptsUnless, countReferences } from "../eligibility.ts"
import {
  defineProvider,
  type CreateOutcome,
  type InputRule,
  type InputWays,
  type Reply,
} from "../provider.ts"
import { at, cancelHandle, listAt, readTurnedAway, textAt, toRefused } from "../read-reply.ts"
import { isDataUrl } from "../data-url.ts"

/** As its documentation asks for at the beginning. */
const POLL_AFTER_MS = 2_000
const NO_ROOM = /concurren/i
/** The key is held for something, which may be what was bought under it. */
const KEY_HELD = /idempotency/i

function accepts(parameters: ParameterValues, { canLink }: InputWays): true | Ineligible {
  const asked = parameters as ReferenceToVideoParameters
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
}

const LINK: InputRule = { by: "link" }

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

function readState(json: Json | undefined): PollOutcome | undefined {
  switch (textAt(json, "status")) {
    case "queued":
    case "in_progress":
      return { kind: "running", pollAfterMs: POLL_AFTER_MS }
    case "completed": {
      const media = [at(json, "video") ?? null, ...listAt(json, "images")]
      const urls = media.flatMap((each) => textAt(each, "url") ?? [])
      return { kind: "completed", outputs: urls.map((url) => ({ url })) }
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
  baseUrl: "https://api.higgsfield.ai",
  keyVariable: "HIGGSFIELD_KEY",
  authorize: (key) => ({ authorization: `Key ${key}` }),
  // Its files lie at a distribution of its own at CloudFront.
  outputHosts: ["*.higgsfield.ai", "d8j0ntlcm91z4.cloudfront.net"],
  submission: { kind: "keyed-unstated" },
  concurrency: 2,
  submitTimeoutMs: 60_000,
  models: {
    [referenceToVideo.id]: {
      accepts,
      inputs: { image_urls: LINK, video_urls: LINK, audio_urls: LINK },
      toRequest: (parameters, key) => ({
        method: "POST",
        path: "/bytedance/seedance-2.5/reference-to-video",
        headers: { "idempotency-key": key },
        json: parameters as Json,
      }),
    },
  },
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
