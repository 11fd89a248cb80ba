/**
 * A film of Seedance 2.5 in Ark's format, which its resellers take too. Frames and references exclude each
 * other: one or two images alone are the first frame and the last; with a film, a sound or a third image all
 * of them are references.
 */
import { isDataUrl, type Json, type ReferenceToVideoParameters } from "@safelight/core"
import {
  acceptsUnless,
  countReferences,
  findBitrateObstacle,
  type Obstacles,
} from "./eligibility.ts"
import type { InputRule, InputWays, ProviderModel } from "./provider-model.ts"
import type { Body } from "./provider-request.ts"

type Kind = "image_url" | "video_url" | "audio_url"

/** Everything but the model's name. Ark has its own defaults for parameters that are not set. */
export function toSeedance(asked: ReferenceToVideoParameters): Body {
  const { image_urls: images = [], video_urls: films = [], audio_urls: sounds = [] } = asked
  const roles = hasFramesAlone(asked) ? ["first_frame", "last_frame"] : []
  const content: readonly Json[] = [
    ...(asked.prompt ? [{ type: "text", text: asked.prompt }] : []),
    ...images.map((url, index) => toItem("image_url", url, roles[index] ?? "reference_image")),
    ...films.map((url) => toItem("video_url", url, "reference_video")),
    ...sounds.map((url) => toItem("audio_url", url, "reference_audio")),
  ]
  return {
    content,
    resolution: asked.resolution,
    ratio: asked.aspect_ratio,
    duration: asked.duration,
    generate_audio: asked.generate_audio,
  }
}

/** Whether its images are the first frame and the last. */
export function hasFramesAlone(asked: ReferenceToVideoParameters): boolean {
  const { films, images, sounds } = countReferences(asked)
  return images <= 2 && films + sounds === 0
}

function toItem(type: Kind, url: string, role: string): Json {
  return { type, [type]: { url }, role }
}

const BY_URL = "films are taken by URL alone"

const INPUTS: Readonly<Record<string, InputRule>> = { video_urls: { by: "link" } }

/** The model at Ark and its resellers. */
export const seedanceFilm = {
  accepts: (asked: ReferenceToVideoParameters, ways: InputWays) =>
    acceptsUnless(findSeedanceObstacles(asked, ways)),
  inputs: INPUTS,
} satisfies Partial<ProviderModel<ReferenceToVideoParameters>>

/** For Seedance 2.5 at any provider. */
export function findSeedanceObstacles(
  asked: ReferenceToVideoParameters,
  { canLink }: InputWays,
): Obstacles {
  const { films, images, sounds } = countReferences(asked)
  const isEmpty = !asked.prompt && images + films + sounds === 0
  return {
    ...findBitrateObstacle(asked),
    resolution: asked.resolution === "1080p" && "resolution 1080p is not offered",
    video_urls: !canLink && asked.video_urls?.some(isDataUrl) === true && BY_URL,
    prompt: isEmpty && "a prompt or a reference is needed",
  }
}
