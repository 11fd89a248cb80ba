/** The connection of one lane: opened when it is needed, and left once it can't commit any more. */
import type { Connection } from "./connection.ts"
import type { Outage } from "./outage.ts"
import { isReadOnly, toFault } from "./sql-error.ts"
import { writeNothing } from "./write-nothing.ts"

export interface LaneConnection {
  /** The one that is open, or a new one. */
  readonly get: () => Promise<Connection>
  /** Ends it where it is unfit for another try after `error`. */
  readonly note: (error: unknown) => void
  /** Resolves once something was written over it, and undone; rejects with the reason why not. */
  readonly prove: () => Promise<void>
  readonly close: () => void
}

export function createLaneConnection(
  open: () => Promise<Connection>,
  outage: Outage,
): LaneConnection {
  let connection: Connection | undefined

  async function get(): Promise<Connection> {
    connection = connection?.isOpen() === true ? connection : await open()
    return connection
  }

  function note(error: unknown): void {
    // A session stays read-only for as long as it lasts: the server may write again, or another one.
    if (toFault(error) === "lost" || isReadOnly(error)) connection?.destroy()
  }

  return {
    get,
    note,
    async prove() {
      const triedAt = performance.now()
      try {
        await writeNothing(await get(), outage.since() !== undefined)
        outage.noteAnswered()
      } catch (error) {
        note(error)
        outage.noteFailed(error, triedAt)
        throw error
      }
    },
    close: () => connection?.destroy(),
  }
}
