/**
 * Claims and slots. Voiding is one guarded change: whether the beats still are what they were is
 * judged behind every renewal that was called before, in the commit that frees the tasks.
 */
import type { QueueStorage } from "@safelight/core"
import { fromClaimRecord, type ClaimsTable, type StoreStatements } from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import type { Reader } from "./reader.ts"
import { toRows } from "./step-rows.ts"
import type { Writer } from "./writer.ts"

export type ClaimMethods = Pick<
  QueueStorage,
  "renew" | "listClaims" | "voidClaim" | "freeOthers" | "holdSlots" | "countSlots"
>

export interface ClaimMethodOptions {
  readonly writer: Writer
  readonly reader: Reader
  readonly statements: StoreStatements
}

export function createClaimMethods(options: ClaimMethodOptions): ClaimMethods {
  const { reader, writer } = options
  const { claims } = options.statements
  const { guarded, plain } = createEncoder(writer.toNumber)
  return {
    async renew({ claim, tasks }) {
      const values = { claim, tasks: JSON.stringify(tasks) }
      const renewal = plain([
        { statement: claims.beat, values },
        { statement: claims.findHeld, values },
      ])
      return toRows(await writer.write(renewal), 1).map(([task]) => String(task))
    },
    listClaims: async () => reader.all<ClaimsTable>(claims.list, {}).map(fromClaimRecord),
    async voidClaim({ claim, beats }) {
      const values = { claim, beats }
      const outcome = await writer.write(
        guarded([
          { statement: claims.void, values },
          { statement: claims.freeTasks, values },
          { statement: claims.freeSlots, values },
          { statement: claims.forget, values },
        ]),
      )
      return outcome === true
    },
    async freeOthers({ claim, tasks }) {
      const values = { claim, tasks: JSON.stringify(tasks) }
      await writer.write(plain([{ statement: claims.freeOthers, values }]))
    },
    async holdSlots({ pool, size, claim, count }) {
      const values = { pool, size, claim, count }
      const holding = plain([
        { statement: claims.hold, values },
        { statement: claims.dropEmpty, values },
      ])
      const [row] = toRows(await writer.write(holding), 0)
      return Number(row?.[0])
    },
    async countSlots(pool) {
      const [row] = reader.all<{ readonly held: number }>(claims.sum, { pool })
      return Number(row?.held)
    },
  }
}
