/** The moment of each account and policy; the row decides who moves it. */
import type { RateStorage } from "@safelight/core"
import type { StoreStatements } from "@safelight/store"
import type { Sessions } from "./sessions.ts"

export function createRateMethods(sessions: Sessions, { rates }: StoreStatements): RateStorage {
  return {
    async readRate({ account, policy }) {
      const values = { account, policy }
      const [record] = await sessions.read<{ readonly moment: number }>(rates.find, values)
      return record?.moment ?? 0
    },
    async advanceRate({ account, policy, from, to }) {
      const statement = from === 0 ? rates.begin : rates.advance
      return (await sessions.change(statement, { account, policy, from, moment: to })) === 1
    },
  }
}
