/**
 * The connections that many callers share: a few, opened when they are needed, each carrying many
 * queries at once, asked in turn.
 */
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { closed, isOutdated, toFault, toSafelightError } from "./sql-error.ts"

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
  holds(connection: Connection): boolean
}

export function createSharedConnections(open: () => Promise<Connection>): SharedConnections {
  const places: (Place | undefined)[] = []
  const retired = new Set<Connection>()
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

  /** Nobody new gets it; who waits for an answer on it has that before it ends. */
  function retire(connection: Connection): void {
    const place = places.findIndex((there) => there?.holds(connection) === true)
    // Many may hear of it at once.
    if (place < 0) return
    places[place] = undefined
    retired.add(connection)
    setTimeout(() => {
      connection.destroy()
      retired.delete(connection)
    }, DEFAULTS.replyTimeoutMs).unref()
  }

  return {
    async ask(run, mostTries) {
      for (let tries = 1, outdated = 0; ; tries += 1) {
        const connection = take()
        try {
          return await run(await connection)
        } catch (error) {
          if (isOutdated(error)) {
            outdated += 1
            retire(await connection)
          }
          // What an outdated statement asked for was not carried out; each connection may have one.
          const mayAsk = isOutdated(error)
            ? outdated <= DEFAULTS.readConnections
            : tries - outdated < mostTries && toFault(error) === "lost"
          if (!mayAsk || isClosed) throw toSafelightError(error)
        }
      }
    },
    close() {
      isClosed = true
      for (const connection of retired) connection.destroy()
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
  return {
    opening,
    isUsable: () => !isFailed && connection?.isOpen() !== false,
    holds: (other) => connection === other,
  }
}
