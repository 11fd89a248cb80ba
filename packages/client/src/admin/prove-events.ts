/**
 * Proves a task's chain of hashes where its log is read, a browser too: each event's hash is that of its other members,
 * the sealed ones included, and of the event before it, so no event was changed, taken out or put in since the last hash was made. It does not
 * prove who made it: for that an operator keeps a hash elsewhere.
 */
import { createSha256 } from "../artifacts/sha256.ts"
import type { StoredEvent } from "./admin-task-calls.ts"

export interface EventProof {
  readonly isWhole: boolean
  /** The place of the first event that is not as it was sealed, from 1; null if all are. */
  readonly brokenAt: number | null
  /** Of the last event that was proved, 64 hexadecimal digits: it stands for everything up to there. */
  readonly hash: string
}

const GENESIS_HASH = "0".repeat(64)
const DOMAIN = "safelight:event:1\n"

/** `events` is a task's whole log, oldest first, as `admin.taskEvents` gives it. */
export function proveEvents(events: readonly StoredEvent[]): EventProof {
  let hash = GENESIS_HASH
  for (const [index, event] of events.entries()) {
    const isNext = event.version === index + 1 && event.task === events[0]?.task
    if (!isNext || hashEvent(hash, event) !== event.hash) {
      return { isWhole: false, brokenAt: index + 1, hash }
    }
    hash = event.hash
  }
  return { isWhole: true, brokenAt: null, hash }
}

function hashEvent(
  previous: string,
  { at, data, schema, sealed, task, type, version }: StoredEvent,
): string {
  // Canonical JSON (RFC 8785): names in their order, and `data` is canonical as it is stored.
  const names = [JSON.stringify(task), JSON.stringify(type)]
  const digest = sealed === null ? "" : `"sealed":"${digestOf([toBytes(sealed)])}",`
  const text = `{"at":${at},"data":${data},"schema":${schema},${digest}"task":${names[0]},"type":${names[1]},"version":${version}}`
  return digestOf([toBytes(DOMAIN), fromHex(previous), toBytes(text)])
}

/** 64 hexadecimal digits. */
function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createSha256()
  for (const part of parts) hash.update(part)
  return Array.from(atob(hash.digest()), toHexByte).join("")
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function fromHex(digits: string): Uint8Array {
  const pairs = digits.match(/../g) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}

function toHexByte(byte: string): string {
  return byte.charCodeAt(0).toString(16).padStart(2, "0")
}
