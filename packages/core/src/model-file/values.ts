/** Whether the defaults and examples of a model's file are values that the model takes. */
import * as v from "valibot"
import type { Model } from "../models/model.ts"
import { toParameterIssue } from "../models/parameter-issue.ts"
import { buildSchema } from "./build-schema.ts"
import { join, type Report } from "./fault.ts"
import type { Schema } from "./schema.ts"

export function checkValues(
  model: Pick<Model, "check">,
  {
    examples = [],
    parameters,
    report,
  }: {
    readonly examples: readonly unknown[] | undefined
    readonly parameters: Schema
    readonly report: Report
  },
): void {
  checkDefaults(parameters, "/parameters", report)
  for (const [at, example] of examples.entries()) {
    const check = model.check(example)
    if (check.kind === "valid") continue
    for (const { message } of check.issues) report(join("/examples", at), `is refused: ${message}`)
  }
}

function checkDefaults(schema: Schema, pointer: string, report: Report): void {
  if (Object.hasOwn(schema, "default")) checkDefault(schema, pointer, report)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkDefaults(property, join(pointer, "properties", name), report)
  }
  if (schema.items !== undefined) checkDefaults(schema.items, join(pointer, "items"), report)
  for (const name of ["anyOf", "oneOf"] as const) {
    for (const [at, option] of (schema[name] ?? []).entries()) {
      checkDefaults(option, join(pointer, name, at), report)
    }
  }
}

function checkDefault(schema: Schema, pointer: string, report: Report): void {
  const result = v.safeParse(buildSchema(schema), schema.default, { abortPipeEarly: true })
  if (result.success) return
  const [issue] = result.issues
  report(join(pointer, "default"), `is refused: ${toParameterIssue("it", issue).message}`)
}
