/** The record of operators' changes in the storage in memory. */
import type { OperatorChange, OperatorChangeStorage } from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

export function createMemoryOperatorChanges(): OperatorChangeStorage {
  const recorded = new Map<string, OperatorChange>()
  return {
    async addOperatorChange(change) {
      if (!recorded.has(change.id)) recorded.set(change.id, change)
    },
    async listOperatorChanges({ before, limit }) {
      const older = [...recorded.values()]
        .filter(({ id }) => before === undefined || compareIds(id, before) < 0)
        .toSorted((a, b) => compareIds(b.id, a.id))
      const changes = older.slice(0, limit)
      return { changes, next: older.length > limit ? (changes.at(-1)?.id ?? null) : null }
    },
  }
}
