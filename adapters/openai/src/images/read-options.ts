/**
 * What a request for images asks for, as parameters of its model. OpenAI's options are placed in the parameters of
 * usual names; a parameter of the model itself may stand beside them. An option that the model has no parameter for
 * is refused by name, as is any other member.
 */
import type { ModelInfo } from "@safelight/client"
import {
  ASPECT_RATIO_NAMES,
  COUNT_NAMES,
  createDraft,
  findParameter,
  hasNamedSizes,
  place,
  SIZE_NAMES,
  toNamedRatio,
  toRatioOf,
  toSize,
  type Draft,
} from "@safelight/client/parameters"
import { invalid } from "../answers/refusal.ts"

export interface ImageRequest {
  readonly model: string
  readonly given: Readonly<Record<string, unknown>>
  readonly format: "b64_json" | "url"
  readonly isStreamed: boolean
  /** The caller's name for its own user, which labels the task. */
  readonly user: string | undefined
}

/** Members that are no parameters of a model. */
const OWN = ["model", "response_format", "stream", "partial_images", "user"] as const

/** Throws a `Refusal`. */
export function readImageRequest(message: unknown): ImageRequest {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw invalid("", "invalid_type", "The body must be an object.")
  }
  const given = message as Readonly<Record<string, unknown>>
  const { model } = given
  if (typeof model !== "string" || model === "") {
    throw invalid("model", "missing_required_parameter", "model must be the id of a model.")
  }
  requireKinds(given)
  const { response_format: format, stream, user } = given
  return {
    model,
    given,
    format: format === "b64_json" ? format : "url",
    isStreamed: stream === true,
    user: typeof user === "string" ? user : undefined,
  }
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

function requireKinds(given: Readonly<Record<string, unknown>>): void {
  for (const [name, [isRight, words]] of Object.entries(KINDS)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || value === null || isRight(value)) continue
    throw invalid(name, "invalid_value", `${name} ${words}.`)
  }
}

function isUser(value: unknown): boolean {
  return typeof value === "string" && /^[ -~]{1,200}$/.test(value)
}

function isPartialCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 3
}

/** By OpenAI's name, where a model has it. Their `auto` leaves the choice to the model. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  prompt: ["prompt", "text"],
  n: COUNT_NAMES,
  quality: ["quality"],
  style: ["style"],
  background: ["background"],
  moderation: ["moderation"],
  output_compression: ["output_compression", "output_quality"],
  output_format: ["output_format", "format"],
}

/** Throws a `Refusal`. */
export function toImageParameters(info: ModelInfo, { given }: ImageRequest): Draft["parameters"] {
  const draft = createDraft(info)
  for (const [name, value] of Object.entries(given)) {
    if ((OWN as readonly string[]).includes(name) || value === undefined || value === null) continue
    const names = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined
    if (name === "size") placeSize(draft, value)
    else if (names !== undefined) placeOption(draft, name, names, value)
    else placeOwn(draft, name, value)
  }
  const [lacking] = draft.warnings
  if (lacking === undefined) return draft.parameters
  const { details, feature } = lacking
  throw invalid(feature, "unsupported_parameter", `${feature} can't be asked for: ${details}.`)
}

function placeOption(draft: Draft, name: string, names: readonly string[], value: unknown): void {
  const found = findParameter(draft, names)
  // Without a parameter a task makes one, and the model chooses.
  const isUsual = value === "auto" || (name === "n" && value === 1)
  if (isUsual && (found === undefined || !takes(draft, found, value))) return
  place(draft, name, names, value)
}

function takes({ schemas }: Draft, name: string, value: unknown): boolean {
  const { enum: values } = schemas[name] ?? {}
  return values === undefined ? typeof value === "number" : values.includes(value)
}

function placeSize(draft: Draft, size: unknown): void {
  if (size === "auto" && !SIZE_NAMES.some((name) => takes(draft, name, "auto"))) return
  const text = typeof size === "string" ? size : ""
  const name = findParameter(draft, SIZE_NAMES)
  const { height, width } = draft.schemas
  if (name !== undefined) return place(draft, "size", [name], text, toAnySize)
  if (width !== undefined && height !== undefined) {
    const [across, down] = text.split("x").map(Number)
    place(draft, "size", ["width"], across)
    return place(draft, "size", ["height"], down)
  }
  place(
    draft,
    "size",
    ASPECT_RATIO_NAMES,
    text,
    (asked, schema) => toRatioOf(asked, schema) ?? asked,
  )
}

/** A size of these pixels, or else a named one of their shape. */
function toAnySize(size: string, schema: Parameters<typeof toSize>[1]): unknown {
  const same = toSize(size, schema)
  if (same !== size || !hasNamedSizes(schema) || schema.enum?.includes(size)) return same
  const ratio = toRatioOf(size, { enum: ["1:1", "3:4", "9:16", "4:3", "16:9"] })
  return typeof ratio === "string" ? toNamedRatio(ratio, schema) : size
}

/** A parameter of the model under its own name. */
function placeOwn(draft: Draft, name: string, value: unknown): void {
  if (draft.schemas[name] === undefined) {
    throw invalid(name, "unknown_parameter", `${name} is no parameter of ${draft.info.model}.`)
  }
  draft.parameters[name] = value
}
