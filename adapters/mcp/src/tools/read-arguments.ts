/** Reads the arguments of a call. A fault has the code and the name that the API would give it. */
import { ApiError } from "@safelight/client"

type Given = Readonly<Record<string, unknown>>

/** Throws an `ApiError` for an argument that the tool does not have. */
export function requireKnown(given: Given, names: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const name = unknown.slice(0, 100)
  throw fault(name, "unknown_parameter", `The tool has no argument ${name}: ${names.join(", ")}.`)
}

/** Throws an `ApiError` unless it is a text with at least one character. */
export function readText(given: Given, name: string): string {
  const value = readRequired(given, name)
  if (typeof value === "string" && value !== "") return value
  throw fault(name, "invalid_type", `${name} must be a text.`)
}

/** Throws an `ApiError` unless it is an object. */
export function readObject(given: Given, name: string): Record<string, unknown> {
  const value = readRequired(given, name)
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw fault(name, "invalid_type", `${name} must be an object.`)
}

/** `byDefault` if it is absent. Throws an `ApiError` unless it is a whole number from 0 to `most`. */
export function readCount(given: Given, name: string, most: number, byDefault: number): number {
  const value = own(given, name)
  if (value === undefined) return byDefault
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw fault(name, "invalid_type", `${name} must be a whole number.`)
  }
  if (value < 0) throw fault(name, "integer_below_min_value", `${name} must be at least 0.`)
  if (value > most) throw fault(name, "integer_above_max_value", `${name} must be at most ${most}.`)
  return value
}

function readRequired(given: Given, name: string): unknown {
  const value = own(given, name)
  if (value !== undefined) return value
  throw fault(name, "missing_required_parameter", `${name} is missing.`)
}

function own(given: Given, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined
}

export function fault(param: string, code: string, message: string): ApiError {
  return new ApiError({ type: "invalid_request_error", code, message, param })
}
