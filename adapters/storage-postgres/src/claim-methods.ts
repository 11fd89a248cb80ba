/** Claims and slots. What voids a claim, or shares slots out, waits for others that do the same. */
import type { QueueStorage } from "@safelight/core"
import { fromClaimRecord, type ClaimsTable, type StoreStatements } from "@safelight/store"
import { toArrayLiteral } from "./array-literal.ts"
import type { Sessions } from "./sessions.ts"

export type ClaimMethods = Pick<
  QueueStorage,
  "renew" | "listClaims" | "voidClaim" | "freeOthers" | "holdSlots" | "countSlots"
>

/** Slots of one pool are added up by one transaction at a time. */
const KEEP_APART = {
  sql: "select pg_advisory_xact_lock(hashtextextended($1, 0))::text",
  parameters: ["pool"],
}

/** `onFreed`: tasks are anybody's again. */
export function createClaimMethods(
  sessions: Sessions,
  { claims }: StoreStatements,
  onFreed: () => void,
): ClaimMethods {
  return {
    async renew({ claim, tasks }) {
      await sessions.change(claims.beat, { claim })
      const values = { claim, tasks: toArrayLiteral(tasks) }
      const held = await sessions.read<{ readonly task: string }>(claims.findHeld, values)
      return held.map(({ task }) => task)
    },
    async listClaims() {
      return (await sessions.read<ClaimsTable>(claims.list, {})).map(fromClaimRecord)
    },
    voidClaim: ({ claim, beats }) =>
      sessions.transact("begin", async ({ change }) => {
        if ((await change(claims.void, { claim, beats })) === 0) return false
        await change(claims.freeTasks, { claim })
        await change(claims.freeSlots, { claim })
        await change(claims.forget, { claim })
        return true
      }),
    async freeOthers({ claim, tasks }) {
      const values = { claim, tasks: toArrayLiteral(tasks) }
      if ((await sessions.change(claims.freeOthers, values)) > 0) onFreed()
    },
    holdSlots: ({ pool, size, claim, count }) =>
      sessions.transact("begin", async ({ change, find }) => {
        await find(KEEP_APART, { pool })
        const values = { pool, size, claim, count }
        const [row] = await find<{ readonly held: number }>(claims.hold, values)
        await change(claims.dropEmpty, values)
        return Number(row?.held)
      }),
    async countSlots(pool) {
      const [row] = await sessions.read<{ readonly held: number }>(claims.sum, { pool })
      return Number(row?.held)
    },
  }
}
