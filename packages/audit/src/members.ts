/**
 * Members of a JSON object from outside, each checked as it is taken out. What is wrong is named by
 * the member alone, never by its value: an export holds prompts and secrets.
 */
import { isAccountName } from "@safelight/core"
import { refused } from "./export-format.ts"

export type Members = Readonly<Record<string, unknown>>

export function toMembers(value: unknown, name: string): Members {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  if (isObject) return value as Members
  throw wrong(name, "an object")
}

export function takeText(members: Members, name: string): string {
  const value = members[name]
  if (typeof value === "string") return value
  throw wrong(name, "a text")
}

/** What people read in a list, and what every database can store: `isAccountName` of core says which. */
export function takeName(members: Members, name: string): string {
  const text = takeText(members, name)
  if (isAccountName(text)) return text
  throw wrong(name, "1 to 200 printable characters")
}

/** A UUID in lower case, as the engine gives tasks: nothing in it needs to be quoted anywhere. */
export function takeTaskId(members: Members, name: string): string {
  const text = takeText(members, name)
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text
  throw wrong(name, "a UUID in lower case")
}

/** A text that PostgreSQL can store: without U+0000, which canonical JSON escapes, and well-formed. */
export function takeStorable(members: Members, name: string): string {
  const text = takeText(members, name)
  if (!text.includes("\u0000") && !/\p{Surrogate}/u.test(text)) return text
  throw wrong(name, "a text without U+0000 and lone surrogates")
}

/** 64 lower-case hexadecimal digits. */
export function takeDigest(members: Members, name: string): string {
  const text = takeText(members, name)
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw wrong(name, "64 hexadecimal digits")
}

export function takeInteger(
  members: Members,
  name: string,
  least = 0,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  const value = members[name]
  const isInteger = typeof value === "number" && Number.isSafeInteger(value)
  if (isInteger && value >= least && value <= most) return value
  throw wrong(name, `a whole number from ${least}`)
}

export function takeFlag(members: Members, name: string): boolean {
  const value = members[name]
  if (typeof value === "boolean") return value
  throw wrong(name, "true or false")
}

export function takeObject(members: Members, name: string): Members {
  return toMembers(members[name], name)
}

export function takeList<Item>(
  members: Members,
  name: string,
  toItem: (item: Members) => Item,
): readonly Item[] {
  const value = members[name]
  if (Array.isArray(value)) return value.map((item) => toItem(toMembers(item, name)))
  throw wrong(name, "a list")
}

/** Null, or what `take` takes. */
export function takeOptional<Value>(
  members: Members,
  name: string,
  take: (members: Members, name: string) => Value,
): Value | null {
  return members[name] === null ? null : take(members, name)
}

export function wrong(name: string, expected: string): Error {
  return refused(`"${name}" is not ${expected}`)
}
