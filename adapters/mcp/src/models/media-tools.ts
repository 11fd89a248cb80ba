/**
 * Which tools make a model: by the type of what it makes, and for images by whether it takes any. A model that needs
 * no image and takes some is in both lists.
 */
import type { ModelInfo } from "@safelight/client"

export type OutputType = ModelInfo["outputs"]["type"]

export const MEDIA_TOOLS = [
  "generate_image",
  "edit_image",
  "generate_video",
  "generate_audio",
  "generate_text",
  "generate_3d",
] as const

export type MediaTool = (typeof MEDIA_TOOLS)[number]

export function listTools(model: ModelInfo): readonly MediaTool[] {
  const { type } = model.outputs
  if (type !== "image") return [`generate_${type}`]
  const images = model.media.filter((media) => media.type === "image").map(toParameter)
  if (images.length === 0) return ["generate_image"]
  const { required = [] } = model.parameters as { readonly required?: readonly string[] }
  return required.some((name) => images.includes(name))
    ? ["edit_image"]
    : ["generate_image", "edit_image"]
}

/** Of `parameters.elements/image_url` or `parameters.image_urls[0]` the parameter that holds it. */
function toParameter({ param }: ModelInfo["media"][number]): string {
  return /^parameters\.([^./[]+)/.exec(param)?.[1] ?? ""
}
