/** What a person hands to a command: public keys, checkpoints and proofs, as texts or in files. */
import { readFile, stat } from "node:fs/promises"
import { resolve } from "node:path"
import {
  isRefusal,
  openCheckpoint,
  openTaskProof,
  type Checkpoint,
  type OpenCheckpointOptions,
  type OpenedTaskProof,
  type Refusal,
  type VerifierKey,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { DiffersError } from "../audits/audit-outcome.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { unreadable } from "../data/import-source.ts"
import { CommandError, refused } from "../errors/command-error.ts"
import { parseKey, toLogKeys } from "./log-keys.ts"

export type LogKeyList = readonly [VerifierKey, ...VerifierKey[]]

/** Far more than a proof of thousands of events has. */
const MOST_BYTES = 64 * 1024 * 1024

/** A key holds a plus and no file's name needs one: what is no key is the name of a file. Rejects with a `CommandError`. */
export async function readKey(given: string, { folder }: CommandContext): Promise<LogKeyList> {
  const path = resolve(folder, given)
  const isKey = /^[^\s+]+\+[0-9a-f]{8}\+/.test(given)
  const text = isKey ? given : await readText(path)
  return [parseKey(text, "--key")]
}

/** That of `--key`, or those that are configured. Rejects with a `CommandError`. */
export async function readKeys(
  given: string | undefined,
  configuration: Pick<ReadConfiguration, "checkpoints">,
  context: CommandContext,
): Promise<LogKeyList> {
  if (given !== undefined) return readKey(given, context)
  const { keys } = toLogKeys(configuration.checkpoints) ?? {}
  if (keys !== undefined) return keys
  throw refused("--key names the log's public key, since none is configured")
}

/** Rejects with a `CommandError`: one that no key of the log has signed differs. */
export async function readCheckpoint(
  path: string,
  keys: LogKeyList,
  { folder }: CommandContext,
): Promise<Checkpoint> {
  const note = await readText(resolve(folder, path))
  const opened = await openNoteOf(note, keys)
  if (!isRefusal(opened)) return opened
  throw new DiffersError(`${path}: ${opened.reason}`)
}

export async function openNoteOf(note: string, keys: LogKeyList): Promise<Checkpoint | Refusal> {
  const opened = await openCheckpoint(note, toTrust(keys))
  return isRefusal(opened) ? opened : opened.checkpoint
}

export function openProof(document: unknown, keys: LogKeyList): Promise<OpenedTaskProof | Refusal> {
  return openTaskProof(document, { ...toTrust(keys), sha256 })
}

/** A log is named as its keys are. */
function toTrust(keys: LogKeyList): OpenCheckpointOptions {
  return { origin: keys[0].name, logKeys: keys, verify: verifyEd25519 }
}

/** Rejects with a `CommandError` that names the file. */
export async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw refused(`${path} is larger than ${MOST_BYTES} bytes`)
    return await readFile(path, "utf8")
  } catch (cause) {
    throw cause instanceof CommandError ? cause : unreadable(path, cause)
  }
}
