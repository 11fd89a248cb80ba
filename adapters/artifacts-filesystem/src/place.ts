/**
 * Where an artifact lies below the folder: `shard/task/key/random`. Tasks and keys are any text of
 * the host; a name is made of lower-case letters, digits, `_`, `-` and `%`, so it can neither leave
 * the folder nor meet another where a file system ignores case or composes accents.
 */
import { hash, randomUUID } from "node:crypto"

/** A file name may have 255 bytes on every common file system; this leaves room for a suffix. */
const MAX_NAME_BYTES = 240

const NAME = "(?:%|%h[0-9a-f]{64}|(?:[a-z0-9_-]|%[0-9a-f]{4}){1,240})"
const RANDOM = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

const NAME_PATTERN = new RegExp(`^${NAME}$`)
const RANDOM_PATTERN = new RegExp(`^${RANDOM}$`)
const PLACE_PATTERN = new RegExp(`^[0-9a-f]{2}/${NAME}/${NAME}/${RANDOM}$`)

/** The three folders above an artifact, relative like its place, deepest first. */
export interface PlaceFolders {
  readonly key: string
  readonly task: string
  readonly shard: string
}

export function createRandomName(): string {
  return randomUUID()
}

export function isRandomName(name: string): boolean {
  return RANDOM_PATTERN.test(name)
}

/**
 * Every UTF-16 unit outside [a-z0-9_-] as `%` and four hexadecimal digits, the empty text as `%`;
 * what gets too long so as `%h` and its SHA-256. No two texts share a name.
 */
export function toName(text: string): string {
  if (text === "") return "%"
  const name = text.replaceAll(/[^a-z0-9_-]/g, toEscape)
  return name.length <= MAX_NAME_BYTES ? name : `%h${hash("sha256", name)}`
}

export function isName(name: string): boolean {
  return NAME_PATTERN.test(name)
}

/** 256 shards: a million tasks are 4,000 names a folder. */
export function toTaskFolder(task: string): string {
  const name = toName(task)
  return `${hash("sha256", name).slice(0, 2)}/${name}`
}

export function toPlace(artifact: {
  readonly task: string
  readonly key: string
  readonly random: string
}): string {
  return `${toTaskFolder(artifact.task)}/${toName(artifact.key)}/${artifact.random}`
}

/** Whether the text has the form of a place; only such a one is ever joined to the folder. */
export function isPlace(place: string): boolean {
  return PLACE_PATTERN.test(place)
}

export function toPlaceFolders(place: string): PlaceFolders {
  const [shard = "", task = "", key = ""] = place.split("/")
  return { key: `${shard}/${task}/${key}`, task: `${shard}/${task}`, shard }
}

function toEscape(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
