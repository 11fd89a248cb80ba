/**
 * Whether a process's claim that the machine has no room is accepted. A process that hostile media took over
 * could claim it each time, and have its task rendered again until the task's end. So a few claims a task are
 * accepted, and every claim while the disk is nearly full.
 */
import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { DEFAULTS } from "./defaults.ts"
import { MOST_OUTPUT_BYTES } from "./work-folder.ts"

export interface ClaimedTrouble {
  /** Called once for each claim, after the rendering's own folder was removed. Never rejects. */
  accepts(key: string): Promise<boolean>
}

export function createClaimedTrouble(): ClaimedTrouble {
  /** Claims that count, by upstream key, oldest first. */
  const claims = new Map<string, number>()

  return {
    async accepts(key) {
      if (await isDiskFull()) return true
      const claim = (claims.get(key) ?? 0) + 1
      claims.delete(key)
      if (claim > DEFAULTS.mostClaims) return false
      claims.set(key, claim)
      const [oldest] = claims.keys()
      if (claims.size > DEFAULTS.keptClaims && oldest !== undefined) claims.delete(oldest)
      return true
    },
  }
}

/** Whether the largest result would not fit any more. */
async function isDiskFull(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(tmpdir())
    return bavail * bsize < MOST_OUTPUT_BYTES
  } catch {
    // A folder that can't be asked for can't be written to either.
    return true
  }
}
