/**
 * The form of the locators that artifact storages give out: `shard/task/key/random`. All of them use it,
 * so that after a transfer the locators of a manifest are good in the new storage as well. Tasks and
 * keys are any text of the host; a name is made of lower-case letters, digits, `_`, `-` and `%`, so that
 * it can neither leave a folder nor equal another where case or accents don't count. Core computes no
 * hash: the caller hands in SHA-256.
 */

/** SHA-256 of ASCII text, as 64 lower-case hexadecimal digits. */
export type LocatorHash = (text: string) => string

export interface LocatorParts {
  readonly task: string
  readonly key: string
  /** A UUID in lower case, which no other locator of this task and key has. */
  readonly random: string
}

/** A file name may have 255 bytes on every common file system; this leaves room for a suffix. */
const MAX_NAME_BYTES = 240

/** `shard/task/key/random` at its longest: what a manifest must have room for. */
export const MAX_LOCATOR_CHARACTERS = 3 + MAX_NAME_BYTES + 1 + MAX_NAME_BYTES + 1 + 36

const NAME = "(?:%|%h[0-9a-f]{64}|(?:[a-z0-9_-]|%[0-9a-f]{4}){1,240})"
const RANDOM = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

const NAME_PATTERN = new RegExp(`^${NAME}$`)
const LOCATOR_PATTERN = new RegExp(`^[0-9a-f]{2}/${NAME}/${NAME}/${RANDOM}$`)

export function toArtifactLocator(
  { task, key, random }: LocatorParts,
  toHash: LocatorHash,
): string {
  return `${toArtifactFolder(task, toHash)}/${toName(key, toHash)}/${random}`
}

/**
 * The beginning of a task's locators, before a slash. 256 shards: a million tasks are 4,000 names a shard.
 */
export function toArtifactFolder(task: string, toHash: LocatorHash): string {
  const name = toName(task, toHash)
  return `${toHash(name).slice(0, 2)}/${name}`
}

/** The task of a locator; undefined if the task's name was too long, so that only its hash is left. */
export function toLocatorTask(locator: string): string | undefined {
  const [, name = ""] = locator.split("/")
  if (name === "%") return ""
  if (name.startsWith("%h")) return undefined
  return name.replaceAll(/%([0-9a-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/** Whether the text has the form of a locator; a storage touches nothing under any other. */
export function isArtifactLocator(text: string): boolean {
  return text.length <= MAX_LOCATOR_CHARACTERS && LOCATOR_PATTERN.test(text)
}

/** Whether the text has the form of a task's or key's name in a locator. */
export function isArtifactName(text: string): boolean {
  return text.length <= MAX_NAME_BYTES && NAME_PATTERN.test(text)
}

/**
 * Every UTF-16 unit outside [a-z0-9_-] as `%` and four hexadecimal digits, the empty text as `%`. A name
 * that would be too long is `%h` and its SHA-256. No two texts share a name.
 */
function toName(text: string, toHash: LocatorHash): string {
  if (text === "") return "%"
  const name = text.replaceAll(/[^a-z0-9_-]/g, toEscape)
  return name.length <= MAX_NAME_BYTES ? name : `%h${toHash(name)}`
}

function toEscape(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
