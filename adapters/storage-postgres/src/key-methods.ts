/** API keys. A commit whose answer was lost is found by the key's own secret when it is repeated. */
import { SafelightError, type KeyStorage, type StoredKey } from "@safelight/core"
import {
  fromKeyRecord,
  toKeyAccountRecord,
  toKeyRecord,
  type KeysTable,
  type StoreStatements,
} from "@safelight/store"
import type { Sessions } from "./sessions.ts"

export function createKeyMethods(
  sessions: Sessions,
  { accounts, keys }: StoreStatements,
): KeyStorage {
  async function findKey(id: string): Promise<StoredKey | undefined> {
    const [record] = await sessions.read<KeysTable>(keys.findKey, { id })
    return record && fromKeyRecord(record)
  }

  return {
    async createKey(key) {
      await sessions.transact("begin", async ({ change }) => {
        await change(accounts.insertAccount, toKeyAccountRecord(key))
        await change(keys.insertKey, toKeyRecord(key))
      })
      if ((await findKey(key.id))?.secretSha256 !== key.secretSha256) throw alreadyExists(key)
    },
    createFirstKey(key) {
      return sessions.transact("begin", async ({ change, execute, find }) => {
        // One at a time, and none that could come in between; reading goes on.
        await execute("lock table keys in share row exclusive mode")
        if ((await find(keys.findAnyKey, {})).length > 0) return false
        await change(accounts.insertAccount, toKeyAccountRecord(key))
        await change(keys.insertKey, toKeyRecord(key))
        return true
      })
    },
    findKey,
    async listKeys() {
      return (await sessions.read<KeysTable>(keys.listKeys, {})).map(fromKeyRecord)
    },
    async revokeKey({ id, revokedAt }) {
      await sessions.change(keys.revokeKey, { id, revoked_at: revokedAt })
      return (await findKey(id)) !== undefined
    },
    rotateKey({ id, expiresAt, successor }) {
      return sessions.transact("begin", async ({ change, find }) => {
        const [known] = await find<Pick<KeysTable, "secret_sha256">>(keys.findSecret, {
          id: successor.id,
        })
        // Both steps were one commit: where the successor is ours, the key was limited with it.
        if (known?.secret_sha256 === successor.secretSha256) return true
        if (known !== undefined) throw alreadyExists(successor)
        if ((await change(keys.limitKey, { id, expires_at: expiresAt })) === 0) return false
        if ((await change(keys.insertKey, toKeyRecord(successor))) === 0) {
          throw alreadyExists(successor)
        }
        return true
      })
    },
  }
}

function alreadyExists({ id }: StoredKey): SafelightError {
  return new SafelightError({ code: "already-exists", message: `there is a key ${id} already` })
}
