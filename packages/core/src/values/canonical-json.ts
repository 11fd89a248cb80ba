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

/** The beginning of a lone surrogate as JSON.stringify writes it; a text may also spell it out. */
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
 * As `toCanonicalJson`, but for the members of `value` itself, which are written in the order that they
 * have. Throws as it does.
 */
export function toOrderedJson(value: Readonly<Record<string, unknown>>): string {
  if (!hasMembersInOrder(value)) return writeMembers(value, Object.keys(value))
  const text = JSON.stringify(value)
  return text.includes(LONE_SURROGATE) ? writeMembers(value, Object.keys(value)) : text
}

function hasMembersInOrder(value: Readonly<Record<string, unknown>>): boolean {
  for (const key in value) {
    const member = value[key]
    if (member !== undefined && !isInOrder(member)) return false
  }
  return true
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

/**
 * Writes members in order by hand: a sorted copy would not do, since an object always lists
 * integer-like keys first and in numeric order. Throws on what has no canonical text.
 */
function write(value: unknown): string {
  if (typeof value === "string") return writeString(value)
  if (typeof value === "number") return writeNumber(value)
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "object") return Array.isArray(value) ? writeList(value) : writeObject(value)
  const what = value === undefined ? "undefined" : `a ${typeof value}`
  throw new TypeError(`${what} has no canonical JSON`)
}

function writeString(value: string): string {
  if (value.isWellFormed()) return JSON.stringify(value)
  throw new TypeError("a string with a lone surrogate has no canonical JSON")
}

/** As ECMAScript writes it (RFC 8785 §3.2.2.3), and -0 as 0. */
function writeNumber(value: number): string {
  if (Number.isFinite(value)) return String(value)
  throw new TypeError("a number that is not finite has no canonical JSON")
}

/** Throws if an item is undefined: JSON would write null for it. */
function writeList(list: readonly unknown[]): string {
  let items = ""
  for (let place = 0; place < list.length; place += 1) {
    const item = list[place]
    if (item === undefined) {
      throw new TypeError("an array with an undefined item has no canonical JSON")
    }
    items += place === 0 ? write(item) : `,${write(item)}`
  }
  return `[${items}]`
}

function writeObject(value: object): string {
  checkPlain(value)
  // By default texts are sorted by UTF-16 code units (RFC 8785 §3.2.3).
  return writeMembers(value as Readonly<Record<string, unknown>>, Object.keys(value).toSorted())
}

function writeMembers(value: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  let members = ""
  for (const key of keys) {
    const member = value[key]
    if (member === undefined) continue
    const text = `${writeString(key)}:${write(member)}`
    members += members === "" ? text : `,${text}`
  }
  return `{${members}}`
}

/** Throws on a Date, a Map, an instance of a class: their JSON, if any, is not what they are. */
function checkPlain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  // A plain object of another realm has that realm's root prototype.
  if (prototype === null || prototype === Object.prototype) return
  if (Object.getPrototypeOf(prototype) === null) return
  throw new TypeError("only plain objects and arrays have canonical JSON")
}
