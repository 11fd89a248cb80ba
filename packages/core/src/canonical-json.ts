/**
 * Canonical JSON (RFC 8785): the one text a value has, so that a hash of it means the value.
 * Objects whose keys already stand in order are not copied: declare keys sorted and this costs
 * little more than `JSON.stringify`.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/**
 * The RFC 8785 text of `value`. Members that are `undefined` are left out, as JSON does.
 * Throws a TypeError on what has no canonical text: a number that is not finite, a lone surrogate,
 * anything that is not JSON.
 */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(isCanonical(value) ? value : sorted(value))
}

function isCanonical(value: unknown): boolean {
  if (value === null || typeof value !== "object") return isCanonicalScalar(value)
  if (Array.isArray(value)) return value.every(isCanonical)
  let previous: string | undefined
  for (const key of Object.keys(value)) {
    if (previous !== undefined && previous > key) return false
    if (!key.isWellFormed() || !isCanonical((value as Record<string, unknown>)[key])) return false
    previous = key
  }
  return true
}

/** Throws on a value that has no canonical text; `undefined` is left to its container. */
function isCanonicalScalar(value: unknown): true {
  if (typeof value === "string") {
    if (value.isWellFormed()) return true
    throw new TypeError("a string with a lone surrogate has no canonical JSON")
  }
  if (typeof value === "number") {
    if (Number.isFinite(value)) return true
    throw new TypeError("a number that is not finite has no canonical JSON")
  }
  if (value === null || value === undefined || typeof value === "boolean") return true
  throw new TypeError(`a ${typeof value} has no canonical JSON`)
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== "object") return isCanonicalScalar(value) && value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).map(([key, child]) => {
    isCanonicalScalar(key)
    return [key, sorted(child)] as const
  })
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
