/**
 * The hash of an event, in a task's chain: it covers what the event says and every event of the task before it. What is
 * the operator's alone is covered by its digest, so that an account can compute the hash without it.
 */
import { fromHex, hashParts, toHex } from "./bytes.ts"

export interface HashedEvent {
  readonly task: string
  /** 1, 2, 3… within the task. */
  readonly version: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly type: string
  readonly schema: number
  /** Canonical JSON, as it is stored. */
  readonly data: string
  /** The SHA-256 of what is sealed, 64 hexadecimal digits; absent if nothing is. */
  readonly sealed?: string | undefined
}

/** What the first event of a task follows. */
export const GENESIS_HASH = "0".repeat(64)

const DOMAIN = "safelight:event:1\n"

/** 64 hexadecimal digits. `previous` is the hash of the event before, in the same form. */
export function hashEvent(
  previous: string,
  { at, data, schema, sealed, task, type, version }: HashedEvent,
): string {
  // Canonical JSON (RFC 8785): names in their order, and `data` is canonical as it is stored.
  const digest = sealed === undefined ? "" : `"sealed":"${sealed}",`
  const names = `"task":${JSON.stringify(task)},"type":${JSON.stringify(type)}`
  const text = `{"at":${at},"data":${data},"schema":${schema},${digest}${names},"version":${version}}`
  return toHex(hashParts(DOMAIN, fromHex(previous), text))
}
