/** The record of operators' changes. Ids begin with the moment at which they were made, so a page is read along the key. */
import type { OperatorChange, OperatorChangeStorage } from "@safelight/core"
import { toStep, type Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES } from "./sql/tables.ts"

/** No UUID is above it. */
const ABOVE_ALL = "g"

export const OPERATOR_CHANGE_STATEMENTS = describeStatements(({ db, compile }) => ({
  /** Changes no row where the change is recorded already. */
  addChange: compile((change: OperatorChange) =>
    db
      .insertInto("operatorChanges")
      .values(allOf(TABLES.operatorChanges, change))
      .onConflict((conflict) => conflict.column("id").doNothing()),
  ),
  listChanges: compile(({ before, limit }: { readonly before: string; readonly limit: number }) =>
    db
      .selectFrom("operatorChanges")
      .select(TABLES.operatorChanges.members)
      .where("id", "<", before)
      .orderBy("id", "desc")
      .limit(limit),
  ),
}))

export function createOperatorChangeMethods(
  { commit, read }: Connections,
  compiler: Compiler,
): OperatorChangeStorage {
  const { addChange, listChanges } = OPERATOR_CHANGE_STATEMENTS(compiler)
  return {
    async addOperatorChange(change) {
      await commit({ steps: [toStep(addChange, change)] })
    },
    async listOperatorChanges({ before = ABOVE_ALL, limit }) {
      // One more than asked for shows whether there is another page.
      const rows = await read(listChanges, { before, limit: limit + 1 })
      const changes = rows.slice(0, limit)
      return { changes, next: rows.length > limit ? (changes.at(-1)?.id ?? null) : null }
    },
  }
}
