/**
 * The leaf that stands for an event in the tree. Its entry names the event by its task, version and hash, so it
 * holds nothing that a person wrote, and says the same wherever in the tree it stands. The hash is that of the task's
 * chain: it binds everything that the event says, and every event of the task before it.
 */
import { isHashDigits } from "../bytes/hex.ts"
import type { TreeHash } from "../tree/hash-tree.ts"

export interface EventName {
  readonly task: string
  /** 1, 2, 3… within the task. */
  readonly version: number
  /** 64 lower-case hexadecimal digits. */
  readonly hash: string
}

/** What else is ever put into a tree begins with another line. */
const DOMAIN = "safelight:entry:1\n"

/** Stands in JSON as it is; ids made by the engine are such. */
const PLAIN = /^[\w-]*$/

/**
 * The entry: a line that names the format, and canonical JSON (RFC 8785); its bytes are UTF-8. Throws a TypeError for
 * what names no event.
 */
export function toEventEntry({ hash, task, version }: EventName): string {
  if (!isHashDigits(hash)) throw new TypeError("the hash of an event has 64 hexadecimal digits")
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new TypeError(`there is no event ${version}`)
  }
  return `${DOMAIN}{"hash":"${hash}","task":${quote(task)},"version":${version}}`
}

function quote(task: string): string {
  if (PLAIN.test(task)) return `"${task}"`
  if (!task.isWellFormed()) throw new TypeError("a task's id with a lone surrogate has no UTF-8")
  return JSON.stringify(task)
}

/** The hash of the event's leaf. Throws as `toEventEntry` does. */
export function hashEventEntry(tree: TreeHash, event: EventName): Uint8Array {
  return tree.hashLeaf(toEventEntry(event))
}
