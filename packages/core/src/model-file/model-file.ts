/** A model as a file of JSON tells it: a pure reader, which says everything that is wrong and where. */
import * as v from "valibot"
import { PRICE_MEMBERS } from "../money/price-schema.ts"
import type { JsonObject } from "../values/canonical-json.ts"
import type { ModelPrice } from "../money/prices.ts"
import { fields } from "../models/fields.ts"
import { defineModel, type Model } from "../models/model.ts"
import { upstreamSchema, type Upstream } from "../models/upstream.ts"
import { buildSchema } from "./build-schema.ts"
import { collectFaults, isObject, join, type ModelFault, type Report } from "./fault.ts"
import { readLogged } from "./logged.ts"
import { findMediaPaths } from "./media-paths.ts"
import { toModelDefinition } from "./definition.ts"
import { readModelOptions } from "./model-options.ts"
import { readOutputs } from "./outputs.ts"
import { readParameters } from "./parameters.ts"
import type { Schema } from "./schema.ts"
import { checkValues } from "./values.ts"

export type ModelFile =
  | { readonly kind: "model"; readonly model: Model }
  | { readonly kind: "faulty"; readonly faults: readonly [ModelFault, ...ModelFault[]] }

const MOST_LEVELS = 64

/** At least one slash, so that no model has the name of a schema of the API document. */
export const MODEL_ID = /^[a-z0-9][\w.-]*(?:\/[a-z0-9][\w.-]*)+$/i
/** The longest name in an event. */
export const LONGEST_MODEL_ID = 200

const MEMBERS: ReadonlySet<string> = new Set([
  "$schema",
  "id",
  "title",
  "description",
  "outputs",
  "inputVideos",
  "characters",
  "parameters",
  "logged",
  "examples",
  "options",
  "price",
  "providers",
  // Where what it says was read, for people.
  "sources",
])

/** `file` is parsed JSON. */
export function readModelFile(file: unknown): ModelFile {
  const { faults, report } = collectFaults()
  const isFile = isObject(file) && !isDeeper(file, MOST_LEVELS)
  const model = isFile ? read(file, report, () => faults.length === 0) : undefined
  if (!isFile) report("", `must be an object of at most ${MOST_LEVELS} levels`)
  const [first, ...others] = faults
  if (first !== undefined) return { kind: "faulty", faults: [first, ...others] }
  if (model === undefined) throw new TypeError("a model's file has no fault and gives no model")
  return { kind: "model", model }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

type File = Readonly<Record<string, unknown>>

function read(file: File, report: Report, isRight: () => boolean): Model | undefined {
  checkMembers(file, report)
  const upstreams = readProviders(file["providers"], report)
  const price = readPrice(file["price"], report)
  const parameters = readParameters(file["parameters"], report)
  if (parameters === undefined) return undefined
  const media = findMediaPaths(parameters, report)
  const logged = readLogged(file["logged"], parameters, report)
  const outputs = readOutputs(file, media, { parameters, report })
  const options = readModelOptions(file["options"], parameters, report)
  checkUpstreams(upstreams, parameters, report)
  if (!isRight() || outputs === undefined) return undefined
  const { id, title, description, examples } = file as unknown as Model
  const base = defineModel({
    id,
    ...outputs,
    parameters: buildSchema(parameters) as v.GenericSchema<unknown, Record<string, unknown>>,
    logged,
    media,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...(options !== undefined && { options }),
    ...(price !== undefined && { price }),
  })
  checkValues(base, { parameters, examples, report })
  return {
    ...base,
    definition: toModelDefinition(file, { logged: base.logged, parameters }),
    described: parameters as unknown as JsonObject,
    ...(upstreams !== undefined && { upstreams }),
  }
}

function checkMembers(file: File, report: Report): void {
  for (const name of Object.keys(file)) {
    if (!MEMBERS.has(name)) report(join("", name), "is not known in a model's file")
  }
  const { id, examples } = file
  if (typeof id !== "string" || !MODEL_ID.test(id) || id.length > LONGEST_MODEL_ID) {
    report("/id", `must be an id such as acme/flux, of at most ${LONGEST_MODEL_ID} characters`)
  }
  checkWords(file, report)
  if (examples !== undefined && !(Array.isArray(examples) && examples.length <= 20)) {
    report("/examples", "must be a list of at most 20 requests' parameters")
  }
}

function checkWords(file: File, report: Report): void {
  for (const [name, most] of [
    ["title", 200],
    ["description", 2_000],
  ] as const) {
    const value = file[name]
    const isText = typeof value === "string" && value !== "" && value.length <= most
    if (value !== undefined && !isText)
      report(`/${name}`, `must be a text of at most ${most} characters`)
  }
}

const price = fields(PRICE_MEMBERS)

function readPrice(raw: unknown, report: Report): ModelPrice | undefined {
  if (raw === undefined) return undefined
  return readBy(price as v.GenericSchema<unknown, ModelPrice>, raw, { pointer: "/price", report })
}

function readProviders(
  raw: unknown,
  report: Report,
): Readonly<Record<string, Upstream>> | undefined {
  if (raw === undefined) return undefined
  if (!isObject(raw)) {
    report("/providers", "must be an object: by a provider's type, what it calls the model")
    return undefined
  }
  const found: [string, Upstream][] = []
  for (const [type, each] of Object.entries(raw)) {
    const pointer = join("/providers", type)
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(type))
      report(pointer, "must be the type of a provider, as fal")
    const upstream = readBy(upstreamSchema, each, { pointer, report })
    if (upstream !== undefined) found.push([type, upstream])
  }
  return Object.fromEntries(found)
}

/** Whether what is renamed, dropped and bounded are parameters. */
function checkUpstreams(
  upstreams: Readonly<Record<string, Upstream>> | undefined,
  { properties = {} }: Schema,
  report: Report,
): void {
  for (const [type, upstream] of Object.entries(upstreams ?? {})) {
    const { accepts = {}, drop = [], rename = {} } = upstream
    const named = [
      ...Object.keys(rename).map((name) => ["rename", name, name] as const),
      ...Object.keys(accepts).map((name) => ["accepts", name, name] as const),
      ...drop.map((name, at) => ["drop", at, name] as const),
    ]
    for (const [member, at, name] of named) {
      if (Object.hasOwn(properties, name.split("/", 1)[0] ?? "")) continue
      report(
        join("/providers", type, member, at),
        `names ${JSON.stringify(name)}, which is no parameter`,
      )
    }
  }
}

function readBy<Value>(
  schema: v.GenericSchema<unknown, Value>,
  raw: unknown,
  { pointer, report }: { readonly pointer: string; readonly report: Report },
): Value | undefined {
  const result = v.safeParse(schema, raw, { abortPipeEarly: true })
  if (result.success) return result.output
  for (const issue of result.issues) {
    const path = issue.path?.map(({ key }) => String(key)) ?? []
    const isUnknown = issue.expected === "never"
    report(join(pointer, ...path), isUnknown ? "is not known here" : issue.message)
  }
  return undefined
}
