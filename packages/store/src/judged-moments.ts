/** The moment by which things were last removed for their age. One row: the next moment takes its place. */
import type { JudgedMomentStorage } from "@safelight/core"
import { toStep, type Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"

const JUDGED_MOMENT_STATEMENTS = describeStatements(({ db, compile }) => ({
  find: compile(() => db.selectFrom("judgedMoments").select("at")),
  keep: compile((row: { readonly id: number; readonly at: number }) =>
    db
      .insertInto("judgedMoments")
      .values({ id: row.id, at: row.at })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ at: row.at })),
  ),
}))

export function createJudgedMomentMethods(
  { commit, read }: Connections,
  compiler: Compiler,
): JudgedMomentStorage {
  const { find, keep } = JUDGED_MOMENT_STATEMENTS(compiler)
  return {
    async readJudgedMoment() {
      const [row] = await read(find, {})
      return row?.at ?? null
    },
    async keepJudgedMoment(at) {
      await commit({ steps: [toStep(keep, { id: 1, at })] })
    },
  }
}
