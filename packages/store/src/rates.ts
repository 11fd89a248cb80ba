/** The one moment of each account and policy, moved by compare-and-set. */
import type { RateName, RateStorage } from "@safelight/core"
import { toStep, type Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"

type Moment = RateName & { readonly moment: number }

export const RATE_STATEMENTS = describeStatements(({ db, compile }) => ({
  findRate: compile(({ account, policy }: RateName) =>
    db
      .selectFrom("rates")
      .select("moment")
      .where("account", "=", account)
      .where("policy", "=", policy),
  ),
  /** Sets the first moment; changes no row where there is one. */
  beginRate: compile(({ account, policy, moment }: Moment) =>
    db
      .insertInto("rates")
      .values({ account, policy, moment })
      .onConflict((conflict) => conflict.columns(["account", "policy"]).doNothing()),
  ),
  /** Changes no row where the moment is not `from`. */
  advanceRate: compile(({ account, policy, moment, from }: Moment & { readonly from: number }) =>
    db
      .updateTable("rates")
      .set({ moment })
      .where("account", "=", account)
      .where("policy", "=", policy)
      .where("moment", "=", from),
  ),
}))

export function createRateMethods({ read, commit }: Connections, compiler: Compiler): RateStorage {
  const { advanceRate, beginRate, findRate } = RATE_STATEMENTS(compiler)
  return {
    async readRate(name) {
      return (await read(findRate, name))[0]?.moment ?? 0
    },
    async advanceRate({ account, policy, from, to: moment }) {
      const name = { account, policy, moment }
      const step = from === 0 ? toStep(beginRate, name) : toStep(advanceRate, { ...name, from })
      return (await commit({ steps: [step], isGuarded: true })) === true
    },
  }
}
