/** A JSON Schema of parameters, checked: an object whose every part has bounds. */
import { checkSchema } from "./check-schema.ts"
import { isObject, type Report } from "./fault.ts"
import { resolveRefs } from "./resolve.ts"
import type { Schema } from "./schema.ts"

/** Reports what is wrong, and is undefined then. `reduce` makes what is checked of it. */
export function readParameters(
  raw: unknown,
  report: Report,
  reduce: (schema: Readonly<Record<string, unknown>>) => unknown = (schema) => schema,
): Schema | undefined {
  let isRight = true
  const note: Report = (pointer, reason) => {
    isRight = false
    report(pointer, reason)
  }
  const resolved = resolveRefs(raw, "/parameters", note)
  if (resolved === undefined && raw !== undefined) return undefined
  if (!isObject(resolved) || resolved["type"] !== "object") {
    report("/parameters", 'must be a schema with "type": "object"')
    return undefined
  }
  const schema = reduce(resolved)
  checkSchema(schema, "/parameters", note)
  return isRight ? (schema as Schema) : undefined
}
