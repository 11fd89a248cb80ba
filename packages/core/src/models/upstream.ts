/**
 * Under which name a provider makes a public model, and how a request's parameters become the provider's: data, in a
 * model's file by the provider's type, or in a channel's configuration by the model's id. A text is the upstream
 * model's id alone.
 */
import * as v from "valibot"
import type { Json } from "../values/canonical-json.ts"
import type { UnitCost } from "../money/cost.ts"
import { COST_MEMBERS } from "../money/price-schema.ts"
import { fields } from "./fields.ts"

export interface Upstream {
  /** The provider's own id. */
  readonly model: string
  /** By host of a channel's own address, the id there, if the provider has other names at another one. */
  readonly at?: Readonly<Record<string, string>>
  /**
   * Our parameter → theirs. With `/` in it theirs is a member of an object: `imageConfig/aspectRatio`. With `.` the
   * members of its value, which `values` names, are parameters of their own: a width and a height, or none at all.
   */
  readonly rename?: Readonly<Record<string, string>>
  /** By their parameter, after renaming: our value, spelt as in JSON without quotes → theirs. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, Json>>>>
  /** Their parameters that are always the same. */
  readonly constants?: Readonly<Record<string, Json>>
  /** Our parameters that are not sent. */
  readonly drop?: readonly string[]
  /**
   * By our parameter, what its value must fit besides: otherwise the channel does not take the request. `false` fits
   * no value, so the parameter has to be left out.
   */
  readonly accepts?: Readonly<Record<string, ValueBounds | false>>
  readonly cost?: UpstreamCost
}

/** Keywords of JSON Schema 2020-12. */
export interface ValueBounds {
  readonly enum?: readonly Json[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** What the provider charges, in US dollars in micro-units. */
export interface UpstreamCost extends UnitCost {
  /** Where it was read, and on which day. */
  readonly source?: string
  readonly read?: string
}

/** In `rename`: the members of the value are parameters. */
export const MEMBERS = "."

const MAX_ID_CHARACTERS = 256
const MAX_NAME_CHARACTERS = 256
const MAX_PARAMETERS = 256
const MAX_VALUES = 1_024
const MAX_TEXT_CHARACTERS = 8_192

const notAnId = `expected the provider's own model id: at most ${MAX_ID_CHARACTERS} letters, digits and _ . : @ + ~ - with single / between them`

/** It becomes part of a path at several providers, which it must not leave. */
const id = v.pipe(
  v.string(notAnId),
  v.maxLength(MAX_ID_CHARACTERS, notAnId),
  v.regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.:@+~-]+(?:\/[\w.:@+~-]+)*$/, notAnId),
)

const notAName = `expected the name of a parameter, of at most ${MAX_NAME_CHARACTERS} characters`
const name = v.pipe(
  v.string(notAName),
  v.minLength(1, notAName),
  v.maxLength(MAX_NAME_CHARACTERS, notAName),
  v.check((each) => !/(?:^|\/)(?:__proto__|constructor|prototype|)(?:\/|$)/.test(each), notAName),
  v.check((each) => each === MEMBERS || !each.split("/").includes(MEMBERS), notAName),
)

const notAHost = "expected a host, such as ark.cn-beijing.volces.com"
const host = v.pipe(
  v.string(notAHost),
  v.maxLength(MAX_NAME_CHARACTERS, notAHost),
  v.regex(/^[a-z0-9.-]+(?::\d{1,5})?$/, notAHost),
)

const notJson = `expected a value of JSON, with texts of at most ${MAX_TEXT_CHARACTERS} characters and no more than eight levels`
const json = v.custom<Json>((value) => isBounded(value, 8), notJson)

function isBounded(value: unknown, levels: number): boolean {
  if (typeof value === "string") return value.length <= MAX_TEXT_CHARACTERS
  if (typeof value === "number") return Number.isFinite(value)
  if (value === null || typeof value === "boolean") return true
  if (typeof value !== "object") return false
  const items = Object.values(value)
  if (levels === 0 || items.length > MAX_VALUES) return false
  return items.every((item) => isBounded(item, levels - 1))
}

/** An object with members of one kind; an empty one says nothing, and is a mistake. */
function membersOf<Value>(
  value: v.GenericSchema<unknown, Value>,
  what: string,
  most = MAX_PARAMETERS,
  key: v.GenericSchema<string, string> = name,
): v.GenericSchema<unknown, Record<string, Value>> {
  const message = `expected an object with 1 to ${most} ${what}`
  const isWithin = (members: object): boolean => {
    const count = Object.keys(members).length
    return count >= 1 && count <= most
  }
  return v.pipe(
    v.custom<Record<string, unknown>>(
      (input) => typeof input === "object" && input !== null && !Array.isArray(input),
      message,
    ),
    // valibot leaves out what it can't hold, and nothing may be lost unseen.
    v.check((members) => !Object.hasOwn(members, "__proto__") && isWithin(members), message),
    v.record(key, value, message),
  )
}

function numberOf(message: string, least = -Infinity): v.GenericSchema<number> {
  return v.pipe(v.number(message), v.finite(message), v.minValue(least, message))
}
const count = v.pipe(numberOf("expected 0 or more", 0), v.integer("expected a whole number"))

const notValues = `expected a list of 1 to ${MAX_VALUES} values`
const bounds = v.pipe(
  fields({
    enum: v.exactOptional(
      v.pipe(
        v.array(json, notValues),
        v.minLength(1, notValues),
        v.maxLength(MAX_VALUES, notValues),
      ),
    ),
    minimum: v.exactOptional(numberOf("expected a number")),
    maximum: v.exactOptional(numberOf("expected a number")),
    minLength: v.exactOptional(count),
    maxLength: v.exactOptional(count),
    minItems: v.exactOptional(count),
    maxItems: v.exactOptional(count),
  }),
  v.check(
    (found) => Object.keys(found).length > 0,
    "expected a keyword, such as enum, minimum, maximum or maxItems",
  ),
)
const boundsOrNone = v.lazy((input) => (input === false ? v.literal(false) : bounds))

const cost = fields({
  ...COST_MEMBERS,
  source: v.exactOptional(v.pipe(v.string(), v.maxLength(2_048, "expected a shorter text"))),
  read: v.exactOptional(
    v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}$/, "expected a date, such as 2026-11-26")),
  ),
})

const notADrop = `expected a list of 1 to ${MAX_PARAMETERS} parameters`
const members = fields({
  model: id,
  at: v.exactOptional(membersOf(id, "hosts with ids", MAX_PARAMETERS, host)),
  rename: v.exactOptional(membersOf(name, "parameters with other names")),
  values: v.exactOptional(
    membersOf(membersOf(json, "values with others", MAX_VALUES), "parameters with values"),
  ),
  constants: v.exactOptional(membersOf(json, "parameters")),
  drop: v.exactOptional(
    v.pipe(
      v.array(name, notADrop),
      v.minLength(1, notADrop),
      v.maxLength(MAX_PARAMETERS, notADrop),
    ),
  ),
  accepts: v.exactOptional(membersOf(boundsOrNone, "parameters with bounds")),
  cost: v.exactOptional(cost),
})

const notMembers = `expected values under "${MEMBERS}", all of them objects, of what is renamed to it`
const mapping = v.pipe(members, v.forward(v.check(hasMembers, notMembers), ["values"]))

function isObject(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function hasMembers({ rename = {}, values = {} }: v.InferOutput<typeof members>): boolean {
  if (!Object.values(rename).includes(MEMBERS)) return true
  const mapped = Object.values(values[MEMBERS] ?? {})
  return mapped.length > 0 && mapped.every(isObject)
}

const alone = v.pipe(
  id,
  v.transform((model) => ({ model })),
)

/** A text or an object. An issue's path names the member that is wrong. */
export const upstreamSchema = v.lazy((input) =>
  typeof input === "object" && input !== null ? mapping : alone,
) as unknown as v.GenericSchema<unknown, Upstream>

export interface Misfit {
  /** Ours. */
  readonly param: string
  /** In words for people, without anything of the request's own. */
  readonly reason: string
}

/** The first parameter that does not fit `accepts`, or has no members to be sent as. One that is left out always fits. */
export function findMisfit(
  { accepts = {}, rename = {}, values = {} }: Pick<Upstream, "accepts" | "rename" | "values">,
  parameters: Readonly<Record<string, unknown>>,
): Misfit | undefined {
  const spread = Object.keys(rename).filter((param) => rename[param] === MEMBERS)
  const known = Object.keys(values[MEMBERS] ?? {})
  const faults = [
    ...Object.entries(accepts).map(([param, each]) => {
      return [param, (value: unknown) => findFault(each, value)] as const
    }),
    ...spread.map((param) => [param, (value: unknown) => findUnknown(known, value)] as const),
  ]
  for (const [param, judge] of faults) {
    const value = Object.hasOwn(parameters, param) ? parameters[param] : undefined
    const reason = value === undefined ? undefined : judge(value)
    if (reason !== undefined) return { param, reason }
  }
  return undefined
}

function findUnknown(known: readonly string[], value: unknown): string | undefined {
  return known.includes(toValueName(value)) ? undefined : toOffer(known)
}

/** A value's name in `values`. */
export function toValueName(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function toOffer(names: readonly string[]): string {
  return `only ${names.join(", ")} can be asked for`
}

/** By keyword, what a value is judged by, and the words for it. A keyword is only about values of its own type. */
const MEASURES: readonly [
  least: keyof ValueBounds,
  most: keyof ValueBounds,
  measure: (value: unknown) => number | undefined,
  unit: string,
][] = [
  ["minimum", "maximum", (value) => (typeof value === "number" ? value : undefined), ""],
  [
    "minLength",
    "maxLength",
    (value) => (typeof value === "string" ? Array.from(value).length : undefined),
    " characters",
  ],
  ["minItems", "maxItems", (value) => (Array.isArray(value) ? value.length : undefined), " items"],
]

function findFault(bound: ValueBounds | false, value: unknown): string | undefined {
  if (bound === false) return "it can't be set"
  const { enum: offered } = bound
  const told = JSON.stringify(value)
  if (offered !== undefined && offered.every((each) => JSON.stringify(each) !== told)) {
    return toOffer(offered.map(toValueName))
  }
  for (const [least, most, measure, unit] of MEASURES) {
    const size = measure(value)
    if (size === undefined) continue
    if (size < Number(bound[least] ?? -Infinity))
      return `at least ${Number(bound[least])}${unit} can be asked for`
    if (size > Number(bound[most] ?? Infinity))
      return `at most ${Number(bound[most])}${unit} can be asked for`
  }
  return undefined
}
