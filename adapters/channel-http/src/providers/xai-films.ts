/**
 * xAI's films: the answer to a purchase is an id, by which the film is polled. A film that is `done` may have
 * been withheld by moderation, and billed.
 */
import type { Json, PollOutcome, ReferenceToVideoParameters, Refused } from "@safelight/core"
import { acceptsUnless, countReferences, findBitrateObstacle } from "../eligibility.ts"
import type { ProviderModel, Reply } from "../provider.ts"
import { at, textAt, toRefused } from "../read-reply.ts"

const POLL_AFTER_MS = 3_000

/** With images it makes shorter and smaller films. */
const LONGEST_S = 15
const LONGEST_WITH_IMAGES_S = 10

export const xaiFilm: ProviderModel = {
  accepts(parameters) {
    const asked = parameters as ReferenceToVideoParameters
    const { films, images, sounds } = countReferences(asked)
    const longestS = images > 0 ? LONGEST_WITH_IMAGES_S : LONGEST_S
    const isLarge = images > 0 && asked.resolution === "1080p"
    return acceptsUnless({
      prompt: !asked.prompt && "a prompt is needed",
      image_urls: images > 7 && "at most 7 images are taken",
      video_urls: films > 0 && "films can't be referred to",
      audio_urls: sounds > 0 && "sounds can't be referred to",
      duration: (asked.duration ?? 0) > longestS && `at most ${longestS} seconds are offered`,
      resolution: isLarge && "resolution 1080p is not offered with images",
      aspect_ratio: asked.aspect_ratio === "21:9" && "aspect ratio 21:9 is not offered",
      ...findBitrateObstacle(asked),
    })
  },
  toRequest(parameters) {
    const asked = parameters as ReferenceToVideoParameters
    const { aspect_ratio, duration, generate_audio, image_urls: images = [], resolution } = asked
    const json = {
      model: "grok-imagine-video-1.5",
      prompt: asked.prompt ?? "",
      ...(images.length > 0 && { reference_images: images.map((url) => ({ url })) }),
      ...(aspect_ratio !== undefined && { aspect_ratio }),
      ...(duration !== undefined && { duration }),
      ...(generate_audio !== undefined && { generate_audio }),
      ...(resolution !== undefined && { resolution }),
    }
    return { method: "POST", path: "/v1/videos/generations", json }
  },
}

/** A withheld success may have cost something, and usually says how much. */
export function toBilled(
  json: Json | undefined,
  counts: { readonly images: number; readonly outputVideoMs: number },
): Pick<Refused, "billed"> {
  const ticks = at(json, "usage", "cost_in_usd_ticks")
  if (typeof ticks !== "number") return { billed: "maybe" }
  return ticks > 0 ? { billed: counts } : {}
}

/** The documentation does not say whether a film that failed is billed, so it is not bought again. */
export function readFilm({ json, status }: Reply): PollOutcome | undefined {
  const state = textAt(json, "status")
  if (status === 202 || (status === 200 && state === "pending")) {
    const progress = at(json, "progress")
    const told = typeof progress === "number" ? { progress } : {}
    return { kind: "running", pollAfterMs: POLL_AFTER_MS, ...told }
  }
  if (status !== 200) return undefined
  // Some answers hold the film and no state.
  const isBare = state === undefined && textAt(json, "video", "url") !== undefined
  if (state === "done" || isBare) return readDone(json)
  const billed = "maybe"
  if (state === "expired") return { kind: "refused", code: "no_output", billed }
  if (state !== "failed") return undefined
  return { ...toRefused("provider_rejected", textAt(json, "error", "message")), billed }
}

function readDone(json: Json | undefined): PollOutcome {
  if (at(json, "video", "respect_moderation") === false) {
    const outputVideoMs = Math.round(Number(at(json, "video", "duration") ?? 0) * 1_000)
    const billed = toBilled(json, { images: 0, outputVideoMs })
    return { kind: "refused", code: "content_policy_violation", ...billed }
  }
  const url = textAt(json, "video", "url")
  return { kind: "completed", outputs: url === undefined ? [] : [{ url }] }
}
