/**
 * What a request asks for: the rendering, the media it refers to, and the sandbox's
 * directives taken out of its prompt. Parameters were checked by the model before they come here.
 */
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type ChannelRequest,
  type ImageEditParameters,
  type ReferenceToVideoParameters,
  type TextToImageParameters,
} from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import { readPrompt, type Directives } from "./directives.ts"
import type { ReferenceUrls } from "./reference-media.ts"
import type { ReferenceMedia, RenderJob } from "./rendering-job.ts"

export interface RequestPlan {
  readonly directives: Directives
  readonly urls: ReferenceUrls
  /** Off only if the request says so. */
  readonly isSafetyCheckerOn: boolean
  /** What is billed for a failure that the sandbox is told to bill. */
  readonly billed: { readonly images: number; readonly outputVideoMs: number }
  /** The rendering, once the media are there. */
  readonly toJob: (media: ReferenceMedia) => RenderJob
}

export type PlannedRequest = Pick<ChannelRequest, "model" | "parameters">

export const STUDIO_MODELS: readonly string[] = [textToImage.id, imageEdit.id, referenceToVideo.id]

const NO_URLS: ReferenceUrls = { images: [], videos: [], audios: [] }
/** Billed for a video whose request names no duration, like the shortest there is. */
const LEAST_DURATION_S = 4

/** Throws if the model is not one of the studio's, which is the host's fault. */
export function planRequest(
  { model, parameters }: PlannedRequest,
  hasSandbox: boolean,
): RequestPlan {
  switch (model) {
    case textToImage.id:
      return planPicture(parameters as TextToImageParameters, hasSandbox)
    case imageEdit.id:
      return planEdit(parameters as ImageEditParameters, hasSandbox)
    case referenceToVideo.id:
      return planVideo(parameters, hasSandbox)
    default:
      throw new TypeError(`the studio does not serve the model ${model}`)
  }
}

function read(prompt: string, hasSandbox: boolean): ReturnType<typeof readPrompt> {
  return hasSandbox ? readPrompt(prompt) : { text: prompt, directives: {} }
}

function planPicture(parameters: TextToImageParameters, hasSandbox: boolean): RequestPlan {
  const { text, directives } = read(parameters.prompt, hasSandbox)
  return {
    directives,
    urls: NO_URLS,
    isSafetyCheckerOn: parameters.enable_safety_checker,
    billed: { images: 1, outputVideoMs: 0 },
    toJob: () => ({ kind: "picture", parameters: { ...parameters, prompt: text } }),
  }
}

function planEdit(parameters: ImageEditParameters, hasSandbox: boolean): RequestPlan {
  const { text, directives } = read(parameters.prompt, hasSandbox)
  return {
    directives,
    urls: { ...NO_URLS, images: parameters.image_urls },
    isSafetyCheckerOn: true,
    billed: { images: parameters.count, outputVideoMs: 0 },
    // URLs stay here: a data URL is as long as the file that the worker reads anyway.
    toJob: ({ images }) => ({
      kind: "edit",
      parameters: { ...parameters, prompt: text, image_urls: [] },
      images,
    }),
  }
}

function planVideo(parameters: ReferenceToVideoParameters, hasSandbox: boolean): RequestPlan {
  const { image_urls = [], video_urls = [], audio_urls = [], prompt, ...others } = parameters
  const { text, directives } = read(prompt ?? "", hasSandbox)
  const duration = others.duration ?? DEFAULTS.filmSeconds
  const words = prompt === undefined ? {} : { prompt: text }
  return {
    directives,
    urls: { images: image_urls, videos: video_urls, audios: audio_urls },
    isSafetyCheckerOn: true,
    billed: { images: 0, outputVideoMs: (others.duration ?? LEAST_DURATION_S) * 1000 },
    toJob: (media) => ({ kind: "video", parameters: { ...others, ...words, duration }, ...media }),
  }
}
