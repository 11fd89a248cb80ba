/**
 * Erasing what was written for a task, and forgetting what is no longer needed. Deleted rows are gone
 * from the database's answers at once, and from its files with the next vacuum.
 */
import type { Storage } from "@safelight/core"
import type { StoreStatements } from "@safelight/store"
import type { Sessions } from "./sessions.ts"

export type ErasingMethods = Pick<Storage, "eraseInputs" | "forgetIdempotency">

export function createErasingMethods(
  sessions: Sessions,
  { admission, append }: StoreStatements,
): ErasingMethods {
  return {
    eraseInputs: (task, { keepsIdempotency } = { keepsIdempotency: false }) =>
      sessions.transact("begin", async ({ change }) => {
        const erased = await change(append.eraseInputs, { task })
        if (!keepsIdempotency) await change(admission.eraseIdempotency, { task })
        return erased > 0
      }),
    forgetIdempotency: ({ usedBefore, limit }) =>
      sessions.change(admission.forgetIdempotency, { used_at: usedBefore, limit }),
  }
}
