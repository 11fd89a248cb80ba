/**
 * Pictures of Seedream 5.0 Pro in Ark's format, which its resellers take too. It takes a size in pixels and no
 * ratio: at least the pixels of 1024 × 1024, at most those of 2048 × 2048.
 */
import type { ImageEditParameters, TextToImageParameters } from "@safelight/core"
import type { Obstacles } from "./eligibility.ts"
import type { Body } from "./provider-request.ts"

/** By default every picture has a watermark. */
const ALWAYS = { response_format: "url", watermark: false } as const

/** Everything but the model's name. */
export function toSeedream({ prompt }: TextToImageParameters): Body {
  return { prompt, size: "1024x1024", ...ALWAYS }
}

export function toSeedreamEdit(asked: ImageEditParameters): Body {
  const { aspect_ratio: ratio, image_urls: image, output_format, prompt, resolution } = asked
  const size = ratio === "auto" ? resolution.toUpperCase() : toSize(ratio, resolution)
  return { prompt, image, size, output_format, ...ALWAYS }
}

export function findSeedreamEditObstacles(asked: ImageEditParameters): Obstacles {
  return {
    prompt: asked.prompt === "" && "a prompt is needed",
    count: asked.count > 1 && "only one picture is made",
    output_format: asked.output_format === "webp" && "only jpeg and png are offered",
    quality: asked.quality === "low" && "the quality can't be chosen",
  }
}

/** Exactly that ratio, of even sides: the smallest that 1K allows, the largest that 2K does. */
function toSize(ratio: string, resolution: "1k" | "2k"): string {
  // Sides of 19.5 are doubled to be whole.
  const scale = ratio.includes(".") ? 2 : 1
  const [across = 1, down = 1] = ratio.split(":").map((part) => scale * Number(part))
  const halves = 1 / (2 * Math.sqrt(across * down))
  const step = 2 * (resolution === "1k" ? Math.ceil(1_024 * halves) : Math.floor(2_048 * halves))
  return `${step * across}x${step * down}`
}
