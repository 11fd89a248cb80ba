/**
 * The types that fal publishes of its endpoints' inputs, read from the declarations of its client. It reads what that
 * file is made of (objects, unions, literals, lists and names of other types), and no other TypeScript.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

export interface FalMember {
  readonly isRequired: boolean
  /** Of a union of literals; undefined if it may be anything else. */
  readonly values: readonly string[] | undefined
}

const main = createRequire(import.meta.url).resolve("@fal-ai/client")
const TEXT = readFileSync(join(dirname(main), "types/endpoints.d.ts"), "utf8")

/** The members of an endpoint's input by name; undefined if the client has no such endpoint. */
export function readFalInput(endpoint: string): ReadonlyMap<string, FalMember> | undefined {
  const start = TEXT.indexOf(`\n    "${endpoint}": {\n`)
  if (start < 0) return undefined
  const [, name = ""] = /input: (\w+);/.exec(TEXT.slice(start, start + 500)) ?? []
  return readMembers(readBody(name))
}

/** What an alias stands for: the text between the braces of an object. */
function readBody(name: string): string {
  const found = new RegExp(`^export (?:declare )?type ${name} = `, "m").exec(TEXT)
  if (found === null) throw new Error(`no type ${name}`)
  const start = found.index + found[0].length
  if (TEXT[start] === "{") return TEXT.slice(start + 1, TEXT.indexOf("\n};", start))
  return readBody(TEXT.slice(start, TEXT.indexOf(";", start)))
}

function readMembers(body: string): ReadonlyMap<string, FalMember> {
  const bare = body.replaceAll(/\/\*[\s\S]*?\*\//g, "")
  // A member of this object is indented by four; what it holds is deeper.
  const members = bare.matchAll(/^ {4}"?(\w+)"?(\?)?: ((?:[^;]|;(?!\n {4}["\w]|\s*$))*);/gm)
  return new Map(
    Array.from(members, ([, name = "", optional, type = ""]) => {
      return [name, { isRequired: optional === undefined, values: readValues(type) }] as const
    }),
  )
}

/** An object or a name among the alternatives is a form that a model's file may leave out. */
function readValues(type: string): readonly string[] | undefined {
  const flat = type.replaceAll(/\{[\s\S]*?\}/g, "")
  const literals = Array.from(flat.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, value = ""]) => value)
  return literals.length === 0 ? undefined : literals
}
