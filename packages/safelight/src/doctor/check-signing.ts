/**
 * What signs the log: its key, and whether the places for copies of checkpoints can be read, without which nothing is
 * signed. Nothing is sent to an address, and what stands in a copy is judged by the service alone.
 */
import { access, constants, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { isSafelightError } from "@safelight/core"
import type { CheckpointCopy } from "@safelight/proof"
import { isFile, isReceiver } from "../configuration/file-schema.ts"
import { createCheckpointCopies } from "../proofs/checkpoint-copies.ts"
import { toLogKeys } from "../proofs/log-keys.ts"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Surroundings } from "./surroundings.ts"

const NAME = "signing"

/** Nothing is found where no key is configured. */
export async function checkSigning({ configuration }: Surroundings): Promise<readonly Finding[]> {
  const { copies = [] } = configuration.checkpoints
  const { keys, signer } = toLogKeys(configuration.checkpoints) ?? {}
  if (keys === undefined) return []
  const [{ name }] = keys
  if (signer === undefined) return [ok(NAME, `${name}: another process signs`)]
  if (copies.length === 0) {
    const words = `${name} has no copies, so that a database that is set back is signed all the same`
    return [warning(NAME, words, "name a place outside of the database in checkpoints.copies")]
  }
  const opened = await createCheckpointCopies(configuration)
  const found = await Promise.all(opened.map(findCopyFault))
  return orElse(found, ok(NAME, `${name}, copies: ${copies.length}`))
}

async function findCopyFault(copy: CheckpointCopy): Promise<Finding | undefined> {
  const { name } = copy
  const advice = "correct checkpoints.copies, or the rights there: nothing is signed without it"
  if (isReceiver(name)) return undefined
  try {
    await copy.readLast()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown"
    const words = isSafelightError(error) ? error.message : `${name} can't be read: ${code}`
    return fault(NAME, words, advice)
  }
  if (!isFile(name) || (await mayAppend(name))) return undefined
  return fault(NAME, `${name} can't be written by this user`, advice)
}

/** To a file that is there, or may be made: its folder has to be there. */
async function mayAppend(path: string): Promise<boolean> {
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  return access(isThere ? path : dirname(path), constants.W_OK).then(
    () => true,
    () => false,
  )
}
