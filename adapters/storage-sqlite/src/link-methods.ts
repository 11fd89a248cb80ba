/** What private links rest on. The writing connection overwrites the keys it deletes. */
import type { LinkStorage } from "@safelight/core"
import { fromLinkKeyRecord, type LinkKeysTable, type StoreStatements } from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export function createLinkMethods(
  writer: Writer,
  reader: Reader,
  { accounts, links }: StoreStatements,
): LinkStorage {
  const { plain } = createEncoder(writer.toNumber)
  return {
    async readLinkKeys() {
      return reader.all<LinkKeysTable>(links.findKeys, {}).map(fromLinkKeyRecord)
    },
    async addLinkKey({ id, secret, createdAt }) {
      const change = plain([
        { statement: links.insertKey, values: { id, secret, created_at: createdAt } },
        { statement: links.pruneKeys, values: {} },
      ])
      await writer.write(change)
    },
    async readLinkEpoch({ account, task, key }) {
      const values = { account, task, key }
      const [record] = reader.all<{ readonly epoch: number }>(links.findEpoch, values)
      return record?.epoch ?? 0
    },
    async raiseLinkEpoch(scope) {
      if (scope.kind === "artifact") {
        const { task, key } = scope
        await writer.write(plain([{ statement: links.raiseArtifactEpoch, values: { task, key } }]))
        return
      }
      const { account, now } = scope
      const change = plain([
        { statement: accounts.insertAccount, values: { id: account, created_at: now } },
        { statement: links.raiseAccountEpoch, values: { account } },
      ])
      await writer.write(change)
    },
  }
}
