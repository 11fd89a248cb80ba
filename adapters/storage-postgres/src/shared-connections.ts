/**
 * The connections that many callers share: a few, opened when they are needed, each carrying many
 * queries at once, asked in turn.
 */
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { closed, toFault, toSafelightError } from "./sql-error.ts"

export interface SharedConnections {
  /**
   * What `run` gives on one of them; up to `mostTries` times, where a connection was lost. Rejects with
   * a `SafelightError`.
   */
  readonly ask: <Result>(
    run: (connection: Connection) => Promise<Result>,
    mostTries: number,
  ) => Promise<Result>
  readonly close: () => void
}

interface Place {
  readonly opening: Promise<Connection>
  /** Also while it is being opened. */
  isUsable(): boolean
}

export function createSharedConnections(open: () => Promise<Connection>): SharedConnections {
  const places: (Place | undefined)[] = []
  let next = 0
  let isClosed = false

  async function take(): Promise<Connection> {
    if (isClosed) throw closed()
    const place = (next = (next + 1) % DEFAULTS.readConnections)
    const there = places[place]
    if (there?.isUsable() === true) return there.opening
    // Taken before anything is waited for: of a crowd only the first opens one.
    return (places[place] = begin(open())).opening
  }

  return {
    async ask(run, mostTries) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await run(await take())
        } catch (error) {
          const isOver = tries >= mostTries || isClosed
          if (isOver || toFault(error) !== "lost") throw toSafelightError(error)
        }
      }
    },
    close() {
      isClosed = true
      for (const there of places) {
        void there?.opening.then(
          (connection) => connection.destroy(),
          () => undefined,
        )
      }
    },
  }
}

function begin(opening: Promise<Connection>): Place {
  let connection: Connection | undefined
  let isFailed = false
  opening.then(
    (opened) => (connection = opened),
    () => (isFailed = true),
  )
  return { opening, isUsable: () => !isFailed && connection?.isOpen() !== false }
}
