/**
 * The media that a task's parameters refer to, in the order in which they are read: by parameter, and
 * within one in the order of the request. What is charged and what is signed goes by this order.
 */
import type { MediaKind } from "./media-url.ts"
import type { Model, ParameterValues } from "./model.ts"

export interface MediaInput {
  /** The path of the member that holds it, as `video_urls` or `elements/image_url`. */
  readonly param: string
  readonly kind: MediaKind
  /** http(s) or data. */
  readonly url: string
}

/** All of them; a URL that is named twice is listed twice. */
export function listMediaInputs(
  { media }: Pick<Model, "media">,
  parameters: ParameterValues,
): readonly MediaInput[] {
  const inputs: MediaInput[] = []
  for (const [param, kind] of Object.entries(media)) {
    for (const url of listTextsAt(parameters, param)) inputs.push({ param, kind, url })
  }
  return inputs
}

/** The texts at a path of members, as `elements/image_url`, through every list on the way. */
export function listTextsAt(value: unknown, path: string): readonly string[] {
  return listTexts(value, path.split("/"))
}

function listTexts(value: unknown, names: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listTexts(item, names))
  const [name, ...others] = names
  if (name === undefined) return typeof value === "string" ? [value] : []
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return []
  return listTexts((value as ParameterValues)[name], others)
}
