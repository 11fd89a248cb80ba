/** The moment of each account and policy; the writer decides who moves it. */
import type { RateStorage } from "@safelight/core"
import type { StoreStatements } from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export function createRateMethods(
  writer: Writer,
  reader: Reader,
  { rates }: StoreStatements,
): RateStorage {
  const { guarded } = createEncoder(writer.toNumber)
  return {
    async readRate({ account, policy }) {
      const [record] = reader.all<{ readonly moment: number }>(rates.find, { account, policy })
      return record?.moment ?? 0
    },
    async advanceRate({ account, policy, from, to }) {
      const statement = from === 0 ? rates.begin : rates.advance
      const values = { account, policy, from, moment: to }
      return (await writer.write(guarded([{ statement, values }]))) === true
    },
  }
}
