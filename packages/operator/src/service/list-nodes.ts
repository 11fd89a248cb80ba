/** The processes that work on tasks, by their leases: what each said of itself, and how many tasks it holds. */
import type { NodeView, Storage } from "@safelight/core"

export async function listNodes(
  storage: Pick<Storage, "countHeld" | "listLeases">,
): Promise<readonly NodeView[]> {
  const [leases, held] = await Promise.all([storage.listLeases(), storage.countHeld()])
  const nodes = leases.map(({ facts, lease }): NodeView => {
    const { host = null, role = null, startedAt = null } = facts?.node ?? {}
    const heartbeatAt = facts?.toldAt ?? null
    return { lease, host, role, startedAt, heartbeatAt, inFlight: held.get(lease) ?? 0 }
  })
  // A lease's name begins with its moment, so that it orders those of older releases as well.
  return nodes.toSorted((a, b) => (a.lease < b.lease ? -1 : 1))
}
