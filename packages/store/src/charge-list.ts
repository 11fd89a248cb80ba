/**
 * The items of an account's bill in the order of their moments, along the index `charges_billed`. It has no task ids,
 * so charges of one moment are put in order when they are read.
 */
import type { Storage } from "@safelight/core"
import type { Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { TABLES } from "./sql/tables.ts"

export interface ChargeBounds {
  readonly account: string
  /** The position behind which they begin. */
  readonly afterAt: number
  readonly afterTask: string
  /** Exclusive. */
  readonly to: number
  readonly limit: number
}

export const CHARGE_LIST_STATEMENTS = describeStatements(({ db, compile }) => ({
  listCharges: compile((bounds: ChargeBounds) =>
    db
      .selectFrom("charges")
      .select(TABLES.charges.members)
      .where("account", "=", bounds.account)
      .where("at", "<", bounds.to)
      // By this bound the index is entered.
      .where("at", ">=", bounds.afterAt)
      .where((of) => of(of.refTuple("at", "task"), ">", of.tuple(bounds.afterAt, bounds.afterTask)))
      .orderBy("at")
      .orderBy("task")
      .limit(bounds.limit),
  ),
}))

export function createChargeListMethod(
  { read }: Pick<Connections, "read">,
  compiler: Compiler,
): Pick<Storage, "listCharges"> {
  const { listCharges } = CHARGE_LIST_STATEMENTS(compiler)
  return {
    async listCharges({ account, after, from, limit, to }) {
      // No id is empty: the position before the first charge of a moment is the moment itself.
      const { at: afterAt, task: afterTask } = after ?? { at: from, task: "" }
      const bounds = { account, afterAt, afterTask, to }
      // One more than asked for shows whether there is another page.
      const rows = await read(listCharges, { ...bounds, limit: limit + 1 })
      const charges = rows.slice(0, limit)
      const last = rows.length > limit ? charges.at(-1) : undefined
      return { charges, next: last === undefined ? null : { at: last.at, task: last.task } }
    },
  }
}
