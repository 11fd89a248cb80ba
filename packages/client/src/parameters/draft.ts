/**
 * The parameters of a request in the making, for a caller who has one set of options for all models. Each model has
 * its own parameters, so an option is placed in the one that the model itself names for it (`options`), else in the
 * first parameter that has one of the usual names. An option without a parameter is left out with a warning. A value that the parameter doesn't take is sent as it is:
 * the service refuses it by name before anything is bought.
 */
import type { ModelInfo } from "../api/price-answers.ts"

/** In the shape of the AI SDK's. */
export interface OptionWarning {
  readonly type: "unsupported"
  readonly feature: string
  readonly details: string
}

/** As much of JSON Schema as is looked at. */
export interface ParameterSchema {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly maximum?: unknown
}

export interface Draft {
  readonly info: ModelInfo
  readonly schemas: Readonly<Record<string, ParameterSchema>>
  readonly parameters: Record<string, unknown>
  readonly warnings: OptionWarning[]
}

export function createDraft(info: ModelInfo): Draft {
  const properties = (info.parameters["properties"] ?? {}) as Draft["schemas"]
  // Without a prototype: `constructor` is the name of no parameter.
  const schemas = Object.assign(Object.create(null) as Record<string, ParameterSchema>, properties)
  return { info, schemas, parameters: {}, warnings: [] }
}

export function findParameter(
  { schemas }: Pick<Draft, "schemas">,
  names: readonly string[],
): string | undefined {
  return names.find((name) => schemas[name] !== undefined)
}

export type ModelOption = NonNullable<ModelInfo["options"]>[string]

/** The parameter that the model itself names for the option: then `place` looks for no other. */
export function findModelOption(
  { info: { options = {} } }: Pick<Draft, "info">,
  feature: string,
): ModelOption | undefined {
  return Object.hasOwn(options, feature) ? options[feature] : undefined
}

/** Does nothing for an option that was not given. */
export function place<Value>(
  draft: Draft,
  feature: string,
  names: readonly string[],
  value: Value | undefined,
  toParameter: (value: Value, schema: ParameterSchema) => unknown = (given) => given,
): void {
  if (value === undefined) return
  const own = findModelOption(draft, feature)
  const name = own?.parameter ?? findParameter(draft, names)
  const schema = name === undefined ? undefined : draft.schemas[name]
  if (name === undefined || schema === undefined) return warn(draft, feature)
  if (draft.parameters[name] !== undefined) {
    return warn(draft, feature, `${name} is already set by another option`)
  }
  draft.parameters[name] = own === undefined ? toParameter(value, schema) : toOwn(own, value)
}

function toOwn({ values = {} }: ModelOption, value: unknown): unknown {
  // What is no plain value may have no text at all.
  const isPlain = ["boolean", "number", "string"].includes(typeof value)
  const said = isPlain ? (value as string) : ""
  return Object.hasOwn(values, said) ? values[said] : value
}

export function warn(draft: Draft, feature: string, details?: string): void {
  const why = details ?? `${draft.info.model} has no parameter for it`
  draft.warnings.push({ type: "unsupported", feature, details: why })
}

/** The member of an enumeration that says the same, else undefined. */
export function findChoice(schema: ParameterSchema, isSame: (choice: string) => boolean): unknown {
  return schema.enum?.find((choice) => isSame(String(choice).toLowerCase()))
}
