/**
 * The models of Ark: films of Seedance as tasks, pictures and edits of Seedream in the answer itself.
 * Seedream takes a size in pixels and no ratio, so that a ratio becomes the largest size that has it.
 */
import type {
  ImageEditParameters,
  Json,
  ParameterValues,
  TextToImageParameters,
} from "@safelight/core"
import { acceptUnless } from "../ineligible.ts"
import type { ProviderModel } from "../provider.ts"
import { acceptsSeedance, toSeedance } from "../seedance.ts"
import { acceptsPlainSquare } from "../square-picture.ts"

export const TASKS = "/api/v3/contents/generations/tasks"

export const seedanceTask: ProviderModel = {
  accepts: acceptsSeedance,
  toRequest: (parameters) => ({
    method: "POST",
    path: TASKS,
    json: { model: "dreamina-seedance-2-5-260628", ...toSeedance(parameters) },
  }),
}

export const seedreamPicture: ProviderModel = {
  accepts: acceptsPlainSquare,
  toRequest(parameters) {
    const { prompt } = parameters as TextToImageParameters
    return toSeedream({ prompt, size: "1024x1024" })
  },
}

export const seedreamEdit: ProviderModel = {
  accepts(parameters: ParameterValues) {
    const asked = parameters as ImageEditParameters
    return acceptUnless(
      [asked.prompt === "", "prompt", "a prompt is needed"],
      [asked.count > 1, "count", "only one picture is made for sure"],
      [asked.output_format === "webp", "output_format", "only jpeg and png are offered"],
      [asked.quality === "low", "quality", "the quality can't be chosen"],
    )
  },
  toRequest(parameters) {
    const asked = parameters as ImageEditParameters
    const { aspect_ratio: ratio, image_urls: image, output_format, prompt, resolution } = asked
    const size = ratio === "auto" ? resolution.toUpperCase() : toSize(ratio, resolution)
    return toSeedream({ prompt, image, size, output_format })
  },
}

function toSeedream(json: Readonly<Record<string, Json>>): ReturnType<ProviderModel["toRequest"]> {
  return {
    method: "POST",
    path: "/api/v3/images/generations",
    json: { model: "seedream-5-0-pro-260628", ...json, response_format: "url", watermark: false },
  }
}

/** Exactly that ratio, of even sides, and no more pixels than the square of that resolution has. */
function toSize(ratio: string, resolution: "1k" | "2k"): string {
  const side = resolution === "1k" ? 1024 : 2048
  // Sides of 19.5 are doubled to be whole.
  const scale = ratio.includes(".") ? 2 : 1
  const [across = 1, down = 1] = ratio.split(":").map((part) => scale * Number(part))
  const step = 2 * Math.floor(side / (2 * Math.sqrt(across * down)))
  return `${step * across}x${step * down}`
}
