/**
 * OpenAI's options as parameters of a model: placed in those of usual names. A parameter of the model itself may stand
 * beside them. An option that the model has no parameter for is refused by name, as is any other member.
 */
import type { ModelInfo } from "@safelight/client"
import {
  COUNT_NAMES,
  createDraft,
  findModelOption,
  findParameter,
  place,
  type Draft,
  type ModelOption,
} from "@safelight/client/parameters"
import { invalid } from "../answers/refusal.ts"
import type { Message } from "../calls/read-message.ts"

export interface PlacedOptions {
  readonly parameters: Draft["parameters"]
  /** By parameter, the option that was placed in it. */
  readonly names: ReadonlyMap<string, string>
}

/** Places one option; throws a `Refusal`. */
export type PlaceOption = (draft: Draft, value: unknown) => void

export interface OptionPlaces {
  /** Members that are no parameters of a model. */
  readonly own: readonly string[]
  /** Options that need more than a name. */
  readonly special: Readonly<Record<string, PlaceOption>>
}

/** By OpenAI's name, where a model has it. Their `auto` leaves the choice to the model. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  prompt: ["prompt", "text"],
  n: COUNT_NAMES,
  quality: ["quality"],
  style: ["style"],
  background: ["background"],
  moderation: ["moderation"],
  input_fidelity: ["input_fidelity"],
  output_compression: ["output_compression", "output_quality"],
  output_format: ["output_format", "format"],
}

/** Throws a `Refusal`. */
export function placeOptions(
  info: ModelInfo,
  { isForm, members }: Message,
  { own, special }: OptionPlaces,
): PlacedOptions {
  const draft = createDraft(info)
  const options = new Map<string, string>()
  for (const [name, value] of Object.entries(members)) {
    if (own.includes(name) || value === undefined || value === null) continue
    const placeSpecial = Object.hasOwn(special, name) ? special[name] : undefined
    const before = { ...draft.parameters }
    const told = findModelOption(draft, name)
    if (told !== undefined) placeAsTold(draft, name, { ...told, value, isForm })
    else if (placeSpecial === undefined) placeByName(draft, name, value, isForm)
    else placeSpecial(draft, value)
    requireKept(draft, name, before)
    for (const parameter of Object.keys(draft.parameters)) {
      if (!options.has(parameter)) options.set(parameter, name)
    }
  }
  const [lacking] = draft.warnings
  if (lacking === undefined) return { parameters: draft.parameters, names: options }
  const { details, feature } = lacking
  throw invalid(feature, "unsupported_parameter", `${feature} can't be asked for: ${details}.`)
}

/** No option takes the place of another. */
function requireKept(draft: Draft, name: string, before: Draft["parameters"]): void {
  for (const [parameter, value] of Object.entries(before)) {
    if (draft.parameters[parameter] === value) continue
    throw invalid(name, "invalid_value", `${name}: ${parameter} is already set by another option.`)
  }
}

interface Told extends ModelOption {
  readonly value: unknown
  readonly isForm: boolean
}

/** As the model itself says. */
function placeAsTold(
  draft: Draft,
  name: string,
  { isForm, parameter, value, values = {} }: Told,
): void {
  const isLeftToModel = value === "auto" && !Object.hasOwn(values, "auto")
  if (isLeftToModel && !takes(draft, parameter, value)) return
  place(draft, name, [], isForm ? toTyped(value, draft.schemas[parameter]?.type) : value)
}

function placeByName(draft: Draft, name: string, value: unknown, isForm: boolean): void {
  const names = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  const parameter = findParameter(draft, names ?? [name])
  const schema = parameter === undefined ? { type: UNTOLD[name] } : draft.schemas[parameter]
  const typed = isForm ? toTyped(value, schema?.type) : value
  if (names === undefined) placeOwn(draft, name, typed)
  else placeNamed(draft, name, names, typed)
}

/** Options that are numbers also where the model has no parameter for them. */
const UNTOLD: Readonly<Record<string, string>> = { n: "integer" }

/** A text of a form as what it means: a number, or a truth. What means neither stays a text, and is refused as one. */
export function toTyped(value: unknown, type: unknown): unknown {
  if (typeof value !== "string") return value
  const isNumber = type === "integer" || type === "number"
  if (isNumber && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) return Number(value)
  const isTruth = type === "boolean" && (value === "true" || value === "false")
  return isTruth ? value === "true" : value
}

function placeNamed(draft: Draft, name: string, names: readonly string[], value: unknown): void {
  const found = findParameter(draft, names)
  // Without a parameter a task makes one, and the model chooses.
  const isUsual = value === "auto" || (name === "n" && value === 1)
  if (isUsual && (found === undefined || !takes(draft, found, value))) return
  place(draft, name, names, value)
}

export function takes({ schemas }: Draft, name: string, value: unknown): boolean {
  const { enum: values } = schemas[name] ?? {}
  return values === undefined ? typeof value === "number" : values.includes(value)
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
