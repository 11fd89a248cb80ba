/**
 * Which of a model's parameters take the options of callers that have the same ones for all models, where a
 * parameter's name doesn't tell, or its values are others.
 */
import * as v from "valibot"
import type { ModelOption, ModelOptions } from "../models/model.ts"
import { buildSchema } from "./build-schema.ts"
import { isObject, join, type Report } from "./fault.ts"
import type { Schema } from "./schema.ts"

const MOST_OPTIONS = 50
const MOST_VALUES = 200
const OPTION = /^[a-z]\w{0,39}$/i

/** Undefined where the file has none. */
export function readModelOptions(
  raw: unknown,
  parameters: Schema,
  report: Report,
): ModelOptions | undefined {
  if (raw === undefined) return undefined
  if (!isObject(raw) || Object.keys(raw).length > MOST_OPTIONS) {
    report("/options", `must be an object of at most ${MOST_OPTIONS} options`)
    return undefined
  }
  for (const [name, option] of Object.entries(raw)) {
    const pointer = join("/options", name)
    if (!OPTION.test(name)) report(pointer, "must be the name of an option, such as size")
    checkOption(option, { parameters, pointer, report })
  }
  return raw as ModelOptions
}

interface Checking {
  readonly parameters: Schema
  readonly pointer: string
  readonly report: Report
}

function checkOption(option: unknown, { parameters, pointer, report }: Checking): void {
  if (!isObject(option)) return report(pointer, "must be an object: a parameter, and its values")
  const { parameter, values, ...more } = option as Partial<ModelOption>
  for (const name of Object.keys(more)) report(join(pointer, name), "is not known here")
  const { properties = {} } = parameters
  const known = typeof parameter === "string" && Object.hasOwn(properties, parameter)
  const schema = known ? properties[parameter] : undefined
  if (schema === undefined) return report(join(pointer, "parameter"), "must be a parameter")
  if (values === undefined) return
  if (!isObject(values) || Object.keys(values).length > MOST_VALUES) {
    return report(join(pointer, "values"), `must be an object of at most ${MOST_VALUES} values`)
  }
  const built = buildSchema(schema)
  for (const [value, meant] of Object.entries(values)) {
    if (v.is(built, meant)) continue
    report(join(pointer, "values", value), `is no value that ${String(parameter)} takes`)
  }
}
