/**
 * A body as its members: those of JSON as they are; of a form texts, and files as data URLs. A form may name a member
 * `image[]` for a list of one, repeat it for more, and name a part of a member as `input_reference[image_url]`.
 */
import { createHash, type Hash } from "node:crypto"
import { findMediaType } from "@safelight/core"
import { invalid } from "../answers/refusal.ts"
import type { Call } from "./call.ts"

export interface Message {
  /** Without a prototype: `constructor` is the name of no member. */
  readonly members: Record<string, unknown>
  /** Of a form each value is a text, whatever it means. */
  readonly isForm: boolean
  /** Of the caller's key, the path and the body: 32 hexadecimal digits. A repeat has its members in the same order. */
  readonly digest: string
}

/** Leaves the body empty: whoever handed it over may hold it for as long as the call waits. Rejects with a `Refusal`. */
export async function readMessage({ message, request }: Call): Promise<Message> {
  const hash = createHash("sha256")
  const { pathname } = new URL(request.url)
  hash.update(JSON.stringify([request.headers.get("authorization"), pathname]))
  const isForm = message instanceof FormData
  const members = isForm ? await readForm(message, hash) : readObject(message, hash)
  return { members, isForm, digest: hash.digest("hex").slice(0, DIGEST_DIGITS) }
}

const DIGEST_DIGITS = 32

function readObject(message: unknown, hash: Hash): Record<string, unknown> {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw invalid("", "invalid_type", "The body must be an object.")
  }
  hash.update(JSON.stringify(message))
  const members = Object.assign(Object.create(null) as Record<string, unknown>, message)
  for (const name of Object.keys(message)) delete (message as Record<string, unknown>)[name]
  return members
}

async function readForm(form: FormData, hash: Hash): Promise<Record<string, unknown>> {
  const members = Object.create(null) as Record<string, unknown>
  for (const [field, value] of form) {
    hash.update(JSON.stringify([field, typeof value === "string" ? value : value.size]))
    // oxlint-disable-next-line no-await-in-loop -- one file in memory at a time, beside its text
    const read = typeof value === "string" ? value : await readFile(field, value, hash)
    addField(members, field, read)
  }
  for (const field of new Set(form.keys())) form.delete(field)
  return members
}

const PART_OF_MEMBER = /^(\w+)\[(\w+)\]$/

function addField(members: Record<string, unknown>, field: string, value: string): void {
  const [, whole, part] = PART_OF_MEMBER.exec(field) ?? []
  if (whole !== undefined && part !== undefined) {
    const before = members[whole] ?? Object.create(null)
    if (typeof before !== "object" || before === null || Array.isArray(before)) {
      throw invalid(field, "invalid_value", `${whole} is there in two ways.`)
    }
    members[whole] = Object.assign(before, { [part]: value })
    return
  }
  const name = field.replace(/\[\]$/, "")
  const before = members[name]
  if (Array.isArray(before)) before.push(value)
  else if (before !== undefined) members[name] = [before, value]
  else members[name] = field === name ? value : [value]
}

/** The first bytes decide the type; else the part says it, but for what every file may be called. */
async function readFile(field: string, file: File, hash: Hash): Promise<string> {
  const bytes = Buffer.from(await file.arrayBuffer())
  hash.update(bytes)
  const told = /^(?:image|video|audio)\/[\w.+-]+$/.test(file.type) ? file.type : undefined
  const type = findMediaType(bytes) ?? told
  if (type === undefined) {
    throw invalid(field, "invalid_value", `${field} must be a PNG, JPEG or WebP image.`)
  }
  return `data:${type};base64,${bytes.toString("base64")}`
}

/** The address of media that a member holds: a text, or OpenAI's object with an `image_url`. Throws a `Refusal`. */
export function toMediaUrl(name: string, value: unknown): string {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null) {
    throw invalid(name, "invalid_type", `${name} must be a file, an address or a data URL.`)
  }
  const { file_id: file, image_url: url, ...more } = value as Readonly<Record<string, unknown>>
  if (file !== undefined) {
    const why = `${name}.file_id can't be asked for: no files are kept here. Send image_url.`
    throw invalid(`${name}.file_id`, "unsupported_parameter", why)
  }
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) {
    throw invalid(`${name}.${unknown}`, "unknown_parameter", `${name}.${unknown} is not known.`)
  }
  if (typeof url === "string") return url
  throw invalid(`${name}.image_url`, "invalid_type", `${name}.image_url must be a text.`)
}
