/**
 * Veo, on the Gemini API: an operation that is polled, and a film that needs the key. The API fetches no
 * images, so all of them are sent as bytes.
 */
import type { Json, PollOutcome, ReferenceToVideoParameters } from "@safelight/core"
import { parseDataUrl } from "../data-url.ts"
import { acceptsUnless, countReferences, findBitrateObstacle } from "../eligibility.ts"
import type { ProviderModel, Reply } from "../provider.ts"
import { at, listAt, textAt, toRefused } from "../read-reply.ts"

const POLL_AFTER_MS = 5_000
const OUTPUT_LIVES_MS = 2 * 86_400_000

const DURATIONS_S: ReadonlySet<number> = new Set([4, 6, 8])
const SHAPES: ReadonlySet<string> = new Set(["16:9", "9:16"])

/** The service's own failures. It bills finished films alone, so another attempt may follow. */
const PASSING: ReadonlySet<number> = new Set([4, 8, 10, 13, 14])

export const veoFilm: ProviderModel = {
  accepts(parameters) {
    const asked = parameters as ReferenceToVideoParameters
    const { aspect_ratio: shape = "16:9", duration = 8, image_urls: images = [] } = asked
    const { films, sounds } = countReferences(asked)
    const isWhole = images.length > 2 || asked.resolution === "1080p"
    return acceptsUnless({
      prompt: !asked.prompt && "a prompt is needed",
      image_urls: images.length > 3 && "at most 3 images are taken",
      video_urls: films > 0 && "films can't be referred to",
      audio_urls: sounds > 0 && "sounds can't be referred to",
      resolution: asked.resolution === "480p" && "resolution 480p is not offered",
      aspect_ratio: !SHAPES.has(shape) && `aspect ratio ${shape} is not offered`,
      duration: findDurationObstacle(duration, isWhole),
      // A film always has sound, and the API refuses every request that names it.
      generate_audio: asked.generate_audio === false && "a film without sound is not offered",
      ...findBitrateObstacle(asked),
    })
  },
  inputs: { image_urls: { by: "inline" } },
  toRequest(parameters) {
    const asked = parameters as ReferenceToVideoParameters
    const { aspect_ratio, duration, resolution } = asked
    const json = {
      instances: [{ prompt: asked.prompt ?? "", ...toImages(asked.image_urls ?? []) }],
      parameters: {
        ...(aspect_ratio !== undefined && { aspectRatio: aspect_ratio }),
        ...(duration !== undefined && { durationSeconds: duration }),
        ...(resolution !== undefined && { resolution }),
      },
    }
    const path = "/v1beta/models/veo-3.1-generate-preview:predictLongRunning"
    return { method: "POST", path, json }
  },
}

/** References and 1080p are for the longest film alone. */
function findDurationObstacle(seconds: number, isWhole: boolean): string | false {
  const isOffered = isWhole ? seconds === 8 : DURATIONS_S.has(seconds)
  return !isOffered && `${seconds} seconds are not offered for it`
}

/** Up to two are the first frame and the last; three are references. */
function toImages(urls: readonly string[]): Readonly<Record<string, Json>> {
  const images = urls.map((url) => {
    const { base64 = "", mimeType = "" } = parseDataUrl(url) ?? {}
    return { bytesBase64Encoded: base64, mimeType }
  })
  if (images.length > 2) {
    return { referenceImages: images.map((image) => ({ image, referenceType: "asset" })) }
  }
  const [image, lastFrame] = images
  return { ...(image && { image }), ...(lastFrame && { lastFrame }) }
}

export function readOperation({ json, status }: Reply): PollOutcome | undefined {
  if (status !== 200 || textAt(json, "name") === undefined) return undefined
  if (at(json, "done") !== true) return { kind: "running", pollAfterMs: POLL_AFTER_MS }
  const code = at(json, "error", "code")
  if (typeof code === "number") return readFailure(code, textAt(json, "error", "message") ?? "")
  const response = at(json, "response", "generateVideoResponse")
  const urls = listAt(response, "generatedSamples").flatMap(
    (sample) => textAt(sample, "video", "uri") ?? [],
  )
  const [words] = listAt(response, "raiMediaFilteredReasons")
  if (urls.length === 0 && typeof words === "string") {
    return toRefused("content_policy_violation", words)
  }
  // The answer does not tell when it was made: this is the latest moment at which it can expire.
  const expiresAt = Date.now() + OUTPUT_LIVES_MS
  return { kind: "completed", outputs: urls.map((url) => ({ url, expiresAt })) }
}

/** A refusal of content has no code of its own: only its message tells it from others. */
function readFailure(code: number, words: string): PollOutcome {
  if (PASSING.has(code)) return { kind: "not-created", reason: "provider_failed" }
  const isContent = code === 3 && /safety|polic(?:y|ies)|violat/i.test(words)
  return toRefused(isContent ? "content_policy_violation" : "provider_rejected", words)
}
