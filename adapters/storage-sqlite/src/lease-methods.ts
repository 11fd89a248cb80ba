/**
 * Worker leases. An expiry is one guarded change: whether the heartbeats still are what they were is judged
 * behind every heartbeat that came before, in the commit that frees the tasks.
 */
import type { QueueStorage } from "@safelight/core"
import { fromLeaseRecord, type LeaseRecord, type StoreStatements } from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import type { Reader } from "./reader.ts"
import { toRows } from "./step-rows.ts"
import type { Writer } from "./writer.ts"

export type LeaseMethods = Pick<QueueStorage, "heartbeat" | "listLeases" | "expire">

export interface LeaseMethodOptions {
  readonly writer: Writer
  readonly reader: Reader
  readonly statements: StoreStatements
}

export function createLeaseMethods(options: LeaseMethodOptions): LeaseMethods {
  const { reader, writer } = options
  const { leases } = options.statements
  const { guarded, plain } = createEncoder(writer.toNumber)
  const list = () => reader.all<LeaseRecord>(leases.list, {}).map(fromLeaseRecord)
  return {
    async heartbeat({ lease, beats, facts }) {
      const beat = plain([
        { statement: leases.beat, values: { lease, beats, facts: JSON.stringify(facts) } },
        { statement: leases.findHeld, values: { lease } },
      ])
      const held = toRows(await writer.write(beat), 1).map(([task]) => String(task))
      return { held, leases: list() }
    },
    listLeases: async () => list(),
    async expire({ lease, beats }) {
      const values = { lease, beats }
      const outcome = await writer.write(
        guarded([
          { statement: leases.expire, values },
          { statement: leases.freeTasks, values },
          { statement: leases.forget, values },
        ]),
      )
      return outcome === true
    },
  }
}
