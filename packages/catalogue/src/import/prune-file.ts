/**
 * The reader of model files has the last word: what it refuses of an imported file is left out with its reason, a
 * default or a pattern alone, otherwise the innermost parameter that a request may do without.
 */
import { joinPointer, readModelFile, splitPointer, type ModelFault } from "@safelight/core"
import type { Note } from "./import-note.ts"
import { isList, isObject, type Raw } from "./raw.ts"

export type Pruned =
  | { readonly kind: "file"; readonly file: Raw }
  | { readonly kind: "refused"; readonly faults: readonly [ModelFault, ...ModelFault[]] }

/** Each round leaves something out, so that there is an end. */
export function pruneFile(whole: Raw, note: Note): Pruned {
  let file = whole
  for (;;) {
    const read = readModelFile(file)
    if (read.kind === "model") return { kind: "file", file }
    const before = file
    for (const { pointer, reason } of read.faults) {
      const names = findRemovable(file, splitPointer(pointer) ?? [])
      if (names === undefined) continue
      file = without(file, names) as Raw
      const words = names.length === splitPointer(pointer)?.length ? reason : `${pointer} ${reason}`
      note({ topic: "left-out", pointer: joinPointer("", ...names), words })
    }
    if (file === before) return { kind: "refused", faults: read.faults }
  }
}

/** Keywords without which a parameter only takes more, or is left to the provider. */
const ALONE: ReadonlySet<string> = new Set(["default", "multipleOf", "pattern", "uniqueItems"])

/** The names of the member to leave out, which is there; undefined if there is none. */
function findRemovable(file: Raw, names: readonly string[]): readonly string[] | undefined {
  if (names[0] === "examples" && file["examples"] !== undefined) return ["examples"]
  if (names[0] !== "parameters") return undefined
  const at = names.findIndex((name, place) => ALONE.has(name) && names[place - 1] !== "properties")
  const alone = names.slice(0, at + 1)
  if (at > 0 && find(file, alone) !== undefined) return alone
  for (let length = names.length; length > 2; length -= 1) {
    if (names[length - 2] !== "properties") continue
    const owner = find(file, names.slice(0, length - 2))
    const name = names[length - 1] ?? ""
    if (isOptional(owner, name)) return names.slice(0, length)
  }
  return undefined
}

function isOptional(owner: unknown, name: string): boolean {
  if (!isObject(owner) || !isObject(owner["properties"])) return false
  const required = isList(owner["required"]) ? owner["required"] : []
  return Object.hasOwn(owner["properties"], name) && !required.includes(name)
}

function find(value: unknown, names: readonly string[]): unknown {
  let found = value
  for (const name of names) {
    const isThere = (isObject(found) || isList(found)) && Object.hasOwn(found, name)
    found = isThere ? (found as Raw)[name] : undefined
  }
  return found
}

/** A copy that shares what stays. */
function without(value: unknown, [name = "", ...below]: readonly string[]): unknown {
  if (isList(value)) {
    return value.map((each, at) => (String(at) === name ? without(each, below) : each))
  }
  const entries = Object.entries(value as Raw).flatMap(([key, each]) => {
    if (key !== name) return [[key, each] as const]
    return below.length === 0 ? [] : [[key, without(each, below)] as const]
  })
  return Object.fromEntries(entries)
}
