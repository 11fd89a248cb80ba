/**
 * The models of Replicate that are nearest to ours, each with an input of its own. Only the edit is the same
 * model: pictures are made by Recraft V4, and films by Seedance 2.0, which takes less.
 */
import type {
  ImageEditParameters,
  Ineligible,
  Json,
  ParameterValues,
  ReferenceToVideoParameters,
} from "@safelight/core"
import { acceptsUnless, countReferences, findSquareObstacles } from "../eligibility.ts"
import type { InputRule, ProviderModel } from "../provider.ts"
import { findSeedanceObstacles, hasFramesAlone } from "../seedance.ts"

/**
 * Replicate advises against data URLs above 256 KB. Its answers and webhooks repeat them, so twelve must
 * fit into the 1 MiB of a callback.
 */
const UPLOAD: InputRule = { by: "upload", fromCharacters: 64_000 }

interface ReplicateModel extends Required<Pick<ProviderModel, "accepts">> {
  readonly inputs?: Readonly<Record<string, InputRule>>
  readonly toInput: (parameters: ParameterValues) => Json
}

export const recraftPicture = toModel("recraft-ai/recraft-v4", {
  toInput: ({ prompt }) => ({ prompt: prompt as string, size: "1024x1024" }),
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
})

/** An edit keeps the aspect ratio of its image, whatever is asked for. */
export const grokEdit = toModel("xai/grok-imagine-image-2", {
  toInput(parameters) {
    const { image_urls, prompt, quality, resolution } = parameters as ImageEditParameters
    return { prompt, image: image_urls[0] ?? "", quality, resolution }
  },
  inputs: { image_urls: UPLOAD },
  accepts(parameters) {
    const asked = parameters as ImageEditParameters
    return acceptsUnless({
      image_urls: asked.image_urls.length > 1 && "only one image is taken",
      count: asked.count > 1 && "only one picture is made at once",
      aspect_ratio: asked.aspect_ratio !== "auto" && "the ratio of the image stays",
      output_format: asked.output_format !== "jpeg" && "only jpeg is offered",
    })
  },
})

export const seedanceFilm = toModel("bytedance/seedance-2.0", {
  toInput(parameters) {
    const {
      audio_urls,
      bitrate_mode: _,
      image_urls,
      video_urls,
      ...others
    } = parameters as ReferenceToVideoParameters
    const [image, last_frame_image] = image_urls ?? []
    const references = {
      ...(image_urls && { reference_images: image_urls }),
      ...(video_urls && { reference_videos: video_urls }),
      ...(audio_urls && { reference_audios: audio_urls }),
    }
    const frames = { ...(image && { image }), ...(last_frame_image && { last_frame_image }) }
    return { ...others, ...(hasFramesAlone(parameters) ? frames : references) } as Json
  },
  inputs: { image_urls: UPLOAD, video_urls: { by: "upload" }, audio_urls: UPLOAD },
  accepts: acceptsFilm,
})

/** Seedance 2.0: half of what 2.5 takes, and no sound without a picture. */
function acceptsFilm(parameters: ParameterValues): true | Ineligible {
  const asked = parameters as ReferenceToVideoParameters
  const { films, images, sounds } = countReferences(asked)
  const isSoundAlone = sounds > 0 && images + films === 0
  return acceptsUnless({
    ...findSeedanceObstacles(parameters, { canLink: true }),
    prompt: !asked.prompt && "a prompt is needed",
    duration: (asked.duration ?? 0) > 15 && "at most 15 s are offered",
    image_urls: images > 9 && "at most 9 images are taken",
    ...(films > 3 && { video_urls: "at most 3 films are taken" }),
    audio_urls:
      (sounds > 3 && "at most 3 sounds are taken") ||
      (isSoundAlone && "a sound is taken with an image or a film alone"),
  })
}

function toModel(name: string, { accepts, inputs, toInput }: ReplicateModel): ProviderModel {
  return {
    accepts,
    ...(inputs && { inputs }),
    toRequest: (parameters) => ({
      method: "POST",
      path: `/v1/models/${name}/predictions`,
      json: { input: toInput(parameters) },
    }),
  }
}
