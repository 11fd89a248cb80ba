/** What private links rest on: the newest two keys stay, and every rise of an epoch counts. */
import type { LinkKey, LinkStorage } from "@safelight/core"
import { ACCOUNT_STATEMENTS, toNewAccount } from "./accounts.ts"
import { toStep, type Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"

export interface ArtifactName {
  readonly task: string
  readonly key: string
}

export const LINK_STATEMENTS = describeStatements(({ db, compile }) => {
  const newestFirst = db.selectFrom("linkKeys").orderBy("rank", "desc").orderBy("id", "desc")
  return {
    /** The signing one first. */
    findLinkKeys: compile(() => newestFirst.select(["id", "secret", "createdAt"])),
    /** Gives the key the highest rank; leaves a key that exists as it is. */
    insertLinkKey: compile(({ id, createdAt, secret }: LinkKey) =>
      db
        .insertInto("linkKeys")
        .values((of) => ({
          id,
          createdAt,
          secret,
          rank: of
            .selectFrom("linkKeys")
            .select(of(of.fn.coalesce(of.fn.max("rank"), of.lit(0)), "+", of.lit(1)).as("rank")),
        }))
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    /** Removes all but the newest two. */
    pruneLinkKeys: compile(() =>
      db
        .deleteFrom("linkKeys")
        .where((of) => of("id", "not in", newestFirst.select("id").limit(of.lit(2)))),
    ),
    /** Of the links of an artifact, and of its account, added. */
    findEpoch: compile(({ account, task, key }: ArtifactName & { account: string }) => {
      const ofAccount = db.selectFrom("accounts").select("linkEpoch").where("id", "=", account)
      const ofArtifact = db
        .selectFrom("linkEpochs")
        .select("epoch")
        .where("task", "=", task)
        .where("key", "=", key)
      return db.selectNoFrom((of) =>
        of(of.fn.coalesce(ofAccount, of.lit(0)), "+", of.fn.coalesce(ofArtifact, of.lit(0))).as(
          "epoch",
        ),
      )
    }),
    /** Changes no row of an account that is not there. */
    raiseAccountEpoch: compile(({ account }: { account: string }) =>
      db
        .updateTable("accounts")
        .set((of) => ({ linkEpoch: of("linkEpoch", "+", of.lit(1)) }))
        .where("id", "=", account),
    ),
    raiseArtifactEpoch: compile(({ task, key }: ArtifactName) =>
      db
        .insertInto("linkEpochs")
        .values((of) => ({ task, key, epoch: of.lit(1) }))
        .onConflict((conflict) =>
          conflict
            .columns(["task", "key"])
            .doUpdateSet((of) => ({ epoch: of("linkEpochs.epoch", "+", of.lit(1)) })),
        ),
    ),
  }
})

export function createLinkMethods({ read, commit }: Connections, compiler: Compiler): LinkStorage {
  const { insertAccount } = ACCOUNT_STATEMENTS(compiler)
  const statements = LINK_STATEMENTS(compiler)
  return {
    readLinkKeys: () => read(statements.findLinkKeys, {}),
    async addLinkKey(key) {
      const steps = [toStep(statements.insertLinkKey, key), toStep(statements.pruneLinkKeys, {})]
      // Keys that are added at once must see each other, or too many stay.
      await commit({ steps, alone: "linkKeys" })
    },
    async readLinkEpoch(request) {
      return (await read(statements.findEpoch, request))[0]?.epoch ?? 0
    },
    async raiseLinkEpoch(scope) {
      if (scope.kind === "artifact") {
        await commit({ steps: [toStep(statements.raiseArtifactEpoch, scope)] })
        return
      }
      const { account, now } = scope
      const make = toStep(insertAccount, toNewAccount(account, now))
      await commit({ steps: [make, toStep(statements.raiseAccountEpoch, { account })] })
    },
  }
}
