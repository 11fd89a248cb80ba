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

/** What is still to be known of a request once its task is bought. */
export interface AnswerShape {
  readonly format: ImageRequest["format"]
  readonly isStreamed: boolean
  /** Options that events repeat. */
  readonly echoed: Readonly<Record<"background" | "quality" | "size", string>>
}

export function toShape({ format, given, isStreamed }: ImageRequest): AnswerShape {
  const said = (name: string): string => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    return typeof value === "string" ? value : "auto"
  }
  const echoed = { background: said("background"), quality: said("quality"), size: said("size") }
  return { format, isStreamed, echoed }
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
  requireStream(given)
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

/** What is for a stream alone, or for none. */
function requireStream({
  partial_images: partial,
  response_format: format,
  stream,
}: ImageRequest["given"]): void {
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

export interface PlacedOptions {
  readonly parameters: Draft["parameters"]
  /** By parameter, the option that was placed in it. */
  readonly names: ReadonlyMap<string, string>
}

/** Throws a `Refusal`. */
export function toImageParameters(info: ModelInfo, { given }: ImageRequest): PlacedOptions {
  const draft = createDraft(info)
  const options = new Map<string, string>()
  for (const [name, value] of Object.entries(given)) {
    if ((OWN as readonly string[]).includes(name) || value === undefined || value === null) continue
    const names = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined
    if (name === "size") placeSize(draft, value)
    else if (names !== undefined) placeOption(draft, name, names, value)
    else placeOwn(draft, name, value)
    for (const parameter of Object.keys(draft.parameters)) {
      if (!options.has(parameter)) options.set(parameter, name)
    }
  }
  const [lacking] = draft.warnings
  if (lacking === undefined) return { parameters: draft.parameters, names: options }
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
  const isPixels = typeof size === "string" && /^[1-9]\d{0,4}x[1-9]\d{0,4}$/.test(size)
  const name = findParameter(draft, SIZE_NAMES)
  const { height, width } = draft.schemas
  const isTaken = name !== undefined && takes(draft, name, size)
  if (!isPixels && !isTaken) {
    throw invalid("size", "invalid_value", "size is auto, or width and height as 1024x1024.")
  }
  const text = String(size)
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
  if (draft.parameters[name] !== undefined) {
    throw invalid(name, "invalid_value", `${name} is already set by another option.`)
  }
  draft.parameters[name] = value
}
