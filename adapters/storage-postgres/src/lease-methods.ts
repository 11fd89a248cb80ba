/** Worker leases. What expires a lease waits for others that do the same. */
import type { QueueStorage } from "@safelight/core"
import { fromLeaseRecord, type LeaseRecord, type StoreStatements } from "@safelight/store"
import type { Sessions } from "./sessions.ts"

export type LeaseMethods = Pick<QueueStorage, "heartbeat" | "listLeases" | "expire">

/** `onFreed`: tasks are anybody's again. */
export function createLeaseMethods(
  sessions: Sessions,
  { leases }: StoreStatements,
  onFreed: () => void,
): LeaseMethods {
  const list = async () => (await sessions.read<LeaseRecord>(leases.list, {})).map(fromLeaseRecord)
  return {
    async heartbeat({ lease, beats, facts }) {
      await sessions.change(leases.beat, { lease, beats, facts: JSON.stringify(facts) })
      // Behind it: what is read before could be older than a lease that sees this one.
      const [held, known] = await Promise.all([
        sessions.read<{ readonly task: string }>(leases.findHeld, { lease }),
        list(),
      ])
      return { held: held.map(({ task }) => task), leases: known }
    },
    listLeases: list,
    async expire({ lease, beats }) {
      const isExpired = await sessions.transact("begin", async ({ change }) => {
        if ((await change(leases.expire, { lease, beats })) === 0) return false
        await change(leases.freeTasks, { lease })
        await change(leases.forget, { lease })
        return true
      })
      if (isExpired) onFreed()
      return isExpired
    },
  }
}
