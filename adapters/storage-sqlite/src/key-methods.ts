/** API keys, written through the same writer as everything else. */
import { SafelightError, type KeyStorage, type StoredKey } from "@safelight/core"
import {
  fromKeyRecord,
  toKeyAccountRecord,
  toKeyRecord,
  type KeysTable,
  type StoreStatements,
} from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export function createKeyMethods(
  writer: Writer,
  reader: Reader,
  { accounts, keys }: StoreStatements,
): KeyStorage {
  const { plain, guarded } = createEncoder(writer.toNumber)
  const findKey = (id: string) => {
    const [record] = reader.all<KeysTable>(keys.findKey, { id })
    return record && fromKeyRecord(record)
  }
  return {
    async createKey(key) {
      const record = toKeyRecord(key)
      const change = plain([
        { statement: accounts.insertAccount, values: toKeyAccountRecord(key) },
        { statement: keys.insertKey, values: record },
      ])
      const outcome = await writer.write(change)
      if (typeof outcome === "object" && outcome[1] === 1) return
      // Our own, where a commit came through whose answer did not.
      if (findKey(key.id)?.secretSha256 !== key.secretSha256) throw alreadyExists(key)
    },
    async createFirstKey(key) {
      const change = guarded(
        [
          { statement: accounts.ensureAccount, values: toKeyAccountRecord(key) },
          { statement: keys.insertKey, values: toKeyRecord(key) },
        ],
        [{ statement: keys.findAnyKey, values: {} }],
      )
      return (await writer.write(change)) === true
    },
    findKey: async (id) => findKey(id),
    async listKeys() {
      return reader.all<KeysTable>(keys.listKeys, {}).map(fromKeyRecord)
    },
    async revokeKey({ id, revokedAt }) {
      const values = { id, revoked_at: revokedAt }
      await writer.write(plain([{ statement: keys.revokeKey, values }]))
      return findKey(id) !== undefined
    },
    async rotateKey({ id, expiresAt, successor }) {
      const change = guarded(
        [
          { statement: keys.limitKey, values: { id, expires_at: expiresAt } },
          { statement: keys.insertKey, values: toKeyRecord(successor) },
        ],
        [{ statement: keys.findSecret, values: { id: successor.id } }],
      )
      const outcome = await writer.write(change)
      if (typeof outcome === "boolean") return outcome
      // Both steps were one commit: where the successor is ours, the key was limited with it.
      if (findKey(successor.id)?.secretSha256 !== successor.secretSha256) {
        throw alreadyExists(successor)
      }
      return true
    },
  }
}

function alreadyExists({ id }: StoredKey): SafelightError {
  return new SafelightError({ code: "already-exists", message: `there is a key ${id} already` })
}
