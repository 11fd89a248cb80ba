/** Accounts and keys, written through the same writer as everything else. */
import { SafelightError, type KeyStorage } from "@safelight/core"
import { fromKeyRecord, toKeyRecord, type KeysTable, type StoreStatements } from "@safelight/store"
import { createEncoder } from "./append-change.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export function createKeyMethods(
  writer: Writer,
  reader: Reader,
  { keys }: StoreStatements,
): KeyStorage {
  const encode = createEncoder(writer.toNumber)
  const findKey = (id: string) => {
    const [record] = reader.all<KeysTable>(keys.findKey, { id })
    return record && fromKeyRecord(record)
  }
  return {
    async createKey(key) {
      const record = toKeyRecord(key)
      const account = { account: key.account, created_at: key.createdAt }
      const change = encode([
        { statement: keys.insertAccount, values: account },
        { statement: keys.insertKey, values: record },
      ])
      const outcome = await writer.write(change)
      if (typeof outcome === "object" && outcome[1] === 1) return
      const message = `there is a key ${key.id} already`
      throw new SafelightError({ code: "already-exists", message })
    },
    findKey: async (id) => findKey(id),
    async listKeys() {
      return reader.all<KeysTable>(keys.listKeys, {}).map(fromKeyRecord)
    },
    async revokeKey({ id, revokedAt }) {
      const values = { id, revoked_at: revokedAt }
      await writer.write(encode([{ statement: keys.revokeKey, values }]))
      return findKey(id) !== undefined
    },
  }
}
