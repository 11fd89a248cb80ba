/** What private links rest on. */
import type { LinkStorage } from "@safelight/core"
import { fromLinkKeyRecord, type LinkKeysTable, type StoreStatements } from "@safelight/store"
import type { Sessions } from "./sessions.ts"

export function createLinkMethods(
  sessions: Sessions,
  { accounts, links }: StoreStatements,
): LinkStorage {
  return {
    async readLinkKeys() {
      return (await sessions.read<LinkKeysTable>(links.findKeys, {})).map(fromLinkKeyRecord)
    },
    async addLinkKey({ id, secret, createdAt }) {
      await sessions.transact("begin", async ({ change, execute }) => {
        // Keys that are added at once must see each other, or too many stay.
        await execute("lock table link_keys in share row exclusive mode")
        await change(links.insertKey, { id, secret, created_at: createdAt })
        await change(links.pruneKeys, {})
      })
    },
    async readLinkEpoch({ account, task, key }) {
      const values = { account, task, key }
      const [record] = await sessions.read<{ readonly epoch: number }>(links.findEpoch, values)
      return record?.epoch ?? 0
    },
    async raiseLinkEpoch(scope) {
      if (scope.kind === "artifact") {
        const { task, key } = scope
        await sessions.change(links.raiseArtifactEpoch, { task, key })
        return
      }
      const { account, now } = scope
      await sessions.transact("begin", async ({ change }) => {
        await change(accounts.insertAccount, { id: account, created_at: now })
        await change(links.raiseAccountEpoch, { account })
      })
    },
  }
}
