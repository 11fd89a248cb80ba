/** The moment by which things were last removed, in the storage in memory. */
import type { JudgedMomentStorage } from "@safelight/core"

export function createMemoryJudgedMoments(): JudgedMomentStorage {
  let kept: number | null = null
  return {
    readJudgedMoment: async () => kept,
    async keepJudgedMoment(at) {
      kept = at
    },
  }
}
