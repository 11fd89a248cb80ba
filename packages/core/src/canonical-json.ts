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
  if (value === undefined) throw new TypeError("undefined has no canonical JSON")
  return isCanonical(value) ? JSON.stringify(value) : write(value)
}

/** Whether `JSON.stringify` writes the canonical text of `value` as it stands. */
function isCanonical(value: unknown): boolean {
  if (value === null || typeof value !== "object") return isCanonicalScalar(value)
  if (Array.isArray(value)) return isDense(value) && value.every(isCanonical)
  checkPlain(value)
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

/**
 * Writes members in order by hand: a sorted copy would not do, since an object always lists
 * integer-like keys first and in numeric order.
 */
function write(value: unknown): string {
  if (value === null || typeof value !== "object") {
    isCanonicalScalar(value)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    isDense(value)
    return `[${value.map(write).join(",")}]`
  }
  checkPlain(value)
  const members = Object.entries(value).filter(([, child]) => child !== undefined)
  const texts = members
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => `${write(key)}:${write(child)}`)
  return `{${texts.join(",")}}`
}

/** Throws where an array holds nothing at a place: JSON would write null there. */
function isDense(list: readonly unknown[]): true {
  if (!list.includes(undefined)) return true
  throw new TypeError("an array with an undefined item has no canonical JSON")
}

/** Throws on a Date, a Map, an instance of a class: their JSON, if any, is not what they are. */
function checkPlain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  // A plain object of another realm has that realm's root prototype.
  if (prototype === null || prototype === Object.prototype) return
  if (Object.getPrototypeOf(prototype) === null) return
  throw new TypeError("only plain objects and arrays have canonical JSON")
}
