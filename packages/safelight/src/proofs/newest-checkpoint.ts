/** The checkpoint that a command's proofs lead to. */
import type { KeptCheckpoint, TreeStorage } from "@safelight/core"
import { refused } from "../errors/command-error.ts"

/** Rejects with a `CommandError` if none was signed yet. */
export async function requireCheckpoint(
  storage: Pick<TreeStorage, "findCheckpoint">,
): Promise<KeptCheckpoint> {
  const checkpoint = await storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER })
  if (checkpoint !== undefined) return checkpoint
  throw refused("no checkpoint was signed yet: `safelight audit checkpoint` signs one")
}
