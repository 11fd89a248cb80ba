/**
 * The media that a task's parameters refer to, in the order in which they are read: by parameter, and
 * within one in the order of the request. What is charged and what is signed goes by this order.
 */
import type { MediaKind } from "./media-url.ts"
import type { Model, ParameterValues } from "./model.ts"

export interface MediaInput {
  /** The parameter that holds it, as `video_urls`. */
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
    for (const url of [parameters[param]].flat()) {
      if (typeof url === "string") inputs.push({ param, kind, url })
    }
  }
  return inputs
}
