/**
 * API keys. They are read rarely: a key is read once and then cached by its caller. A repeated commit whose answer
 * was lost is recognised by the key's own secret.
 */
import { SafelightError, type KeyStorage, type StoredKey } from "@safelight/core"
import { ACCOUNT_STATEMENTS, toNewAccount } from "./accounts.ts"
import { countOf, toStep, type Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES } from "./sql/tables.ts"

export const KEY_STATEMENTS = describeStatements(({ db, compile }) => {
  const columns = db.selectFrom("keys").select(TABLES.keys.members)
  return {
    /** Changes no row where the key's id is taken. */
    insertKey: compile((key: StoredKey) =>
      db
        .insertInto("keys")
        .values(allOf(TABLES.keys, key))
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    findKey: compile(({ id }: { id: string }) => columns.where("id", "=", id)),
    findAnyKey: compile(() => columns.limit((of) => of.lit(1))),
    listKeys: compile(() => columns.orderBy("createdAt").orderBy("id")),
    /** Changes no row where the key is revoked already. */
    revokeKey: compile(({ id, revokedAt }: { id: string; revokedAt: number }) =>
      db
        .updateTable("keys")
        .set({ revokedAt })
        .where("id", "=", id)
        .where((of) => of("revokedAt", "=", of.lit(0))),
    ),
    /** Lets a key end at `expiresAt` unless it ends before; changes no row of a revoked one. */
    limitKey: compile(({ id, expiresAt }: { id: string; expiresAt: number }) =>
      db
        .updateTable("keys")
        .set((of) => ({
          expiresAt: of
            .case()
            .when(of.and([of("expiresAt", ">", of.lit(0)), of("expiresAt", "<", expiresAt)]))
            .then(of.ref("expiresAt"))
            .else(expiresAt)
            .end(),
        }))
        .where("id", "=", id)
        .where((of) => of("revokedAt", "=", of.lit(0))),
    ),
  }
})

export function createKeyMethods({ read, commit }: Connections, compiler: Compiler): KeyStorage {
  const { insertAccount } = ACCOUNT_STATEMENTS(compiler)
  const { findAnyKey, findKey, insertKey, limitKey, listKeys, revokeKey } = KEY_STATEMENTS(compiler)

  async function find(id: string): Promise<StoredKey | undefined> {
    return (await read(findKey, { id }))[0]
  }

  async function assertOurs({ id, secretSha256 }: StoredKey): Promise<void> {
    if ((await find(id))?.secretSha256 === secretSha256) return
    const message = `there is a key ${id} already`
    throw new SafelightError({ code: "already-exists", message })
  }

  return {
    async createKey(key) {
      const account = toStep(insertAccount, toNewAccount(key.account, key.createdAt))
      const outcome = await commit({ steps: [account, toStep(insertKey, key)] })
      if (countOf(outcome, 1) === 0) await assertOurs(key)
    },
    async createFirstKey(key) {
      const account = toStep(insertAccount, toNewAccount(key.account, key.createdAt))
      const outcome = await commit({
        checks: [toStep(findAnyKey, {})],
        steps: [toStep(insertKey, key), account],
        isGuarded: true,
        // Of many at once, one finds none.
        alone: "keys",
      })
      return outcome === true
    },
    findKey: find,
    listKeys: () => read(listKeys, {}),
    async revokeKey({ id, revokedAt }) {
      await commit({ steps: [toStep(revokeKey, { id, revokedAt })] })
      return (await find(id)) !== undefined
    },
    async rotateKey({ id, expiresAt, successor }) {
      const outcome = await commit({
        checks: [toStep(findKey, { id: successor.id })],
        steps: [toStep(limitKey, { id, expiresAt }), toStep(insertKey, successor)],
        isGuarded: true,
        alone: "keys",
      })
      if (typeof outcome === "boolean") return outcome
      // Both steps were one commit: where the successor is ours, the key was limited with it.
      await assertOurs(successor)
      return true
    },
  }
}
