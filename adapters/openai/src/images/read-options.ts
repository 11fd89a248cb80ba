/** What a request for images asks for, of the door itself and of its model. */
import type { ModelInfo } from "@safelight/client"
import { placeMask, placePictures } from "@safelight/client/parameters"
import { invalid } from "../answers/refusal.ts"
import { toMediaUrl, type Message } from "../calls/read-message.ts"
import { placeOptions, toTyped, type PlacedOptions } from "../options/place-options.ts"
import { placeSize } from "../options/place-size.ts"

/** What is still to be known of a request once its task is bought. */
export interface ImageAnswer {
  readonly format: "b64_json" | "url"
  readonly isStreamed: boolean
  /** Options that events repeat. */
  readonly echoed: Readonly<Record<"background" | "quality" | "size", string>>
}

/** Members that are no parameters of a model. */
const OWN = ["model", "response_format", "stream", "partial_images", "user"] as const

/** Their types, which a form does not tell. */
const TYPES: Readonly<Record<string, string>> = { stream: "boolean", partial_images: "integer" }

/** Throws a `Refusal`. */
export function readImageAnswer({ isForm, members }: Message): ImageAnswer {
  for (const [name, type] of Object.entries(TYPES)) {
    if (isForm && name in members) members[name] = toTyped(members[name], type)
  }
  requireKinds(members)
  requireStream(members)
  const { response_format: format, stream } = members
  const said = (name: string): string => {
    const value = members[name]
    return typeof value === "string" ? value : "auto"
  }
  return {
    format: format === "b64_json" ? format : "url",
    isStreamed: stream === true,
    echoed: { background: said("background"), quality: said("quality"), size: said("size") },
  }
}

/** The caller's name for its own user labels the task. */
export function toUserLabel({ members: { user } }: Message): Readonly<Record<string, string>> {
  return typeof user === "string" ? { "openai-user": user } : {}
}

/** Of what is for the door itself: what is right, and the words for what is not. */
const KINDS: Readonly<
  Record<string, readonly [isRight: (value: unknown) => boolean, words: string]>
> = {
  response_format: [(value) => value === "url" || value === "b64_json", "is url or b64_json"],
  stream: [(value) => typeof value === "boolean", "is true or false"],
  partial_images: [isPartialCount, "is from 0 to 3"],
  user: [isUser, "is 1 to 200 printable ASCII characters"],
}

function requireKinds(members: Message["members"]): void {
  for (const [name, [isRight, words]] of Object.entries(KINDS)) {
    const value = members[name]
    if (value === undefined || value === null || isRight(value)) continue
    throw invalid(name, "invalid_value", `${name} ${words}.`)
  }
}

function isUser(value: unknown): boolean {
  return typeof value === "string" && /^[ -~]{1,200}$/.test(value)
}

/** What is for a stream alone, or for none. */
function requireStream({
  partial_images: partial,
  response_format: format,
  stream,
}: Message["members"]): void {
  if (stream === true && format === "url") {
    throw invalid("response_format", "invalid_value", "A stream sends b64_json alone.")
  }
  if (stream !== true && Number(partial ?? 0) > 0) {
    throw invalid("partial_images", "invalid_value", "partial_images is for a stream.")
  }
}

function isPartialCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 3
}

/** Throws a `Refusal`. */
export function toImageParameters(info: ModelInfo, message: Message): PlacedOptions {
  return placeOptions(info, message, { own: OWN, special: { size: placeSize } })
}

/** `image` is of a form, `images` of JSON. Throws a `Refusal`. */
export function toEditParameters(info: ModelInfo, message: Message): PlacedOptions {
  const { image, images } = message.members
  if (isNone(image) && isNone(images)) {
    throw invalid("image", "missing_required_parameter", "image must be what is to be edited.")
  }
  return placeOptions(info, message, {
    own: OWN,
    special: {
      size: placeSize,
      image: (draft, value) => placePictures(draft, "image", toMediaUrls("image", value)),
      images: (draft, value) => placePictures(draft, "images", toMediaUrls("images", value)),
      mask: (draft, value) => placeMask(draft, "mask", toMediaUrl("mask", value)),
    },
  })
}

function isNone(image: unknown): boolean {
  return image === undefined || image === null || (Array.isArray(image) && image.length === 0)
}

function toMediaUrls(name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [toMediaUrl(name, value)]
  return value.map((each: unknown, index) => toMediaUrl(`${name}[${index}]`, each))
}
