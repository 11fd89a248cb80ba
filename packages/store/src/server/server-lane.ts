/** A lane over a connection to a server: opened when it is needed, and left once it can't commit any more. */
import { toFault } from "../sql/database-error.ts"
import type { Lane } from "../writing/lane.ts"
import { isConfirmed, type Connection, type OpenConnection } from "./connection.ts"

export interface ServerLaneOptions<Own extends Connection, Work, Outcome> {
  readonly open: OpenConnection<Own>
  /** As `Lane.commit`, on a connection that is open. */
  readonly commit: (
    connection: Own,
    ...batch: Parameters<Lane<Work, Outcome>["commit"]>
  ) => ReturnType<Lane<Work, Outcome>["commit"]>
  /** As `Lane.prove`. */
  readonly prove: (connection: Own, isAfterFailure: boolean) => Promise<void>
}

export interface ServerLane<Work, Outcome> extends Lane<Work, Outcome> {
  readonly close: () => void
}

export function createServerLane<Own extends Connection, Work, Outcome>(
  options: ServerLaneOptions<Own, Work, Outcome>,
): ServerLane<Work, Outcome> {
  let connection: Own | undefined

  async function use<Result>(work: (connection: Own) => Promise<Result>): Promise<Result> {
    const isUsable = connection !== undefined && (await isConfirmed(connection))
    connection = isUsable && connection !== undefined ? connection : await options.open()
    try {
      return await work(connection)
    } catch (error) {
      const fault = toFault(error)
      // A statement that a session has lost is prepared anew in another. A session stays read-only for as long as it
      // lasts: the server may write again, or another one.
      if (["lost", "outdated", "read-only"].includes(fault)) connection.destroy()
      throw error
    }
  }

  return {
    commit: (batch, how) => use((own) => options.commit(own, batch, how)),
    prove: (isAfterFailure) => use((own) => options.prove(own, isAfterFailure)),
    close: () => connection?.destroy(),
  }
}
