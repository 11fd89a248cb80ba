/**
 * Whether the parameters that the log holds are of the kinds that it may hold: what a person wrote must not be
 * in the log, since it could never be erased there.
 */
import type { describeParameters } from "@safelight/http"

type Described = ReturnType<typeof describeParameters>

/** In words that follow the file's name; undefined if there is none. */
export function findLoggedFault(
  logged: readonly string[],
  { properties = {} }: Described,
): string | undefined {
  if (!Array.isArray(logged)) return "exports no model: logged must be a list of parameters"
  for (const name of logged) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (property === undefined)
      return `logs ${JSON.stringify(name)}, which is none of its parameters`
    if (!mayBeLogged(property)) {
      return `may not log parameters.${name}: only whole numbers, booleans and values of a list can't hold what a person wrote`
    }
  }
  return undefined
}

function mayBeLogged(property: Described | boolean): boolean {
  if (typeof property === "boolean") return false
  const { anyOf, const: only, enum: values, oneOf, type } = property
  const options = anyOf ?? oneOf
  if (options !== undefined) return options.every(mayBeLogged)
  if (values !== undefined) return values.every(isLoggable)
  if (only !== undefined) return isLoggable(only)
  return type === "integer" || type === "boolean"
}

function isLoggable(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)
}
