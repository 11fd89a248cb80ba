/**
 * Canonical JSON (RFC 8785): the one text a value has, so that a hash of it means the value.
 * Objects whose keys already stand in order are not copied: declare keys sorted and this costs
 * little more than `JSON.stringify`.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

export function isJson(value: unknown): value is Json {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean"
  return value === null || Object.values(value).every(isJson)
}

/** How JSON.stringify begins a lone surrogate, and nothing else but a text that spells it out. */
const LONE_SURROGATE = "\\ud"

/**
 * The RFC 8785 text of `value`. Members that are `undefined` are left out, as JSON does.
 * Throws a TypeError on what has no canonical text: a number that is not finite, a lone surrogate,
 * anything that is not JSON.
 */
export function toCanonicalJson(value: unknown): string {
  if (!isInOrder(value)) return write(value)
  const text = JSON.stringify(value)
  return text.includes(LONE_SURROGATE) ? write(value) : text
}

/**
 * Whether `JSON.stringify` writes the canonical text of `value` as it stands, lone surrogates apart.
 * Where this is false, `write` writes the text, or says why there is none.
 */
function isInOrder(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean"
  return value === null || (Array.isArray(value) ? isListInOrder(value) : hasKeysInOrder(value))
}

function isListInOrder(list: readonly unknown[]): boolean {
  for (let place = 0; place < list.length; place += 1) if (!isInOrder(list[place])) return false
  return true
}

function hasKeysInOrder(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  let previous = ""
  for (const key in value) {
    if (key < previous) return false
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member !== undefined && !isInOrder(member)) return false
    previous = key
  }
  return true
}

/** Throws on a value that has no canonical text. */
function checkScalar(value: unknown): void {
  if (typeof value === "string") {
    if (value.isWellFormed()) return
    throw new TypeError("a string with a lone surrogate has no canonical JSON")
  }
  if (typeof value === "number") {
    if (Number.isFinite(value)) return
    throw new TypeError("a number that is not finite has no canonical JSON")
  }
  if (value === null || typeof value === "boolean") return
  const what = value === undefined ? "undefined" : `a ${typeof value}`
  throw new TypeError(`${what} has no canonical JSON`)
}

/**
 * Writes members in order by hand: a sorted copy would not do, since an object always lists
 * integer-like keys first and in numeric order.
 */
function write(value: unknown): string {
  if (value === null || typeof value !== "object") {
    checkScalar(value)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    checkDense(value)
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
function checkDense(list: readonly unknown[]): void {
  if (!list.includes(undefined)) return
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
