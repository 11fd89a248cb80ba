/**
 * A storage for keys that records what one operator makes in it. A `KeyMaker` chooses the id of a key, so that only
 * the storage that it writes to can record the key before it exists.
 */
import type { KeyStorage, LinkStorage } from "@safelight/core"
import type { RecordChange } from "./record-changes.ts"

export type RecordedKeys = Pick<KeyStorage, "createKey" | "findKey" | "rotateKey"> &
  Pick<LinkStorage, "addLinkKey">

export function toRecordedKeys(
  storage: RecordedKeys,
  record: RecordChange,
  changedBy: string,
): RecordedKeys {
  return {
    findKey: (id) => storage.findKey(id),
    async createKey(key) {
      const { account, expiresAt, id: target, scopes } = key
      const details = { scopes, expiresAt }
      await record(changedBy, { change: "key-created", target, account, details })
      return storage.createKey(key)
    },
    async rotateKey(request) {
      const { expiresAt: replacedExpiresAt, id, successor } = request
      const found = await storage.findKey(id)
      if (found === undefined || found.revokedAt !== 0) return false
      const { account } = found
      const details = {
        successor: successor.id,
        expiresAt: successor.expiresAt,
        replacedExpiresAt,
      }
      await record(changedBy, { change: "key-rotated", target: id, account, details })
      return storage.rotateKey(request)
    },
    async addLinkKey(key) {
      await record(changedBy, { change: "link-key-rotated", target: key.id, account: null })
      return storage.addLinkKey(key)
    },
  }
}
