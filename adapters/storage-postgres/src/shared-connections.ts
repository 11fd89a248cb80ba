/**
 * The connections that many callers share: a few, opened when they are needed, each carrying many
 * queries at once, asked in turn. One that can't do what is asked of it, and that the next one may, is
 * retired: nobody new gets it, and it ends with the last answer that somebody waits for.
 */
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { closed, isOutdated, isReadOnly, toFault, toSafelightError } from "./sql-error.ts"

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
  /** On the monotonic clock. */
  readonly begunAt: number
  /** How many wait for an answer, or for the connection. */
  asking: number
  /** Also while it is being opened, and for a moment after that failed. */
  isUsable(): boolean
}

export function createSharedConnections(open: () => Promise<Connection>): SharedConnections {
  const places: (Place | undefined)[] = []
  const retired = new Set<Place>()
  let next = 0
  let isClosed = false

  function take(): Place {
    if (isClosed) throw closed()
    const position = (next = (next + 1) % DEFAULTS.readConnections)
    const there = places[position]
    if (there?.isUsable() === true) return there
    // Taken before anything is waited for: of a crowd only the first opens one.
    return (places[position] = begin(open()))
  }

  /** Many may hear of it at once. */
  function retire(place: Place): void {
    const position = places.indexOf(place)
    if (position < 0) return
    places[position] = undefined
    retired.add(place)
    endUnasked(place)
  }

  function endUnasked(place: Place): void {
    if (place.asking === 0 && retired.delete(place)) end(place)
  }

  async function use<Result>(
    place: Place,
    run: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    place.asking += 1
    try {
      return await run(await place.opening)
    } finally {
      place.asking -= 1
      endUnasked(place)
    }
  }

  return {
    async ask(run, mostTries) {
      for (let tries = 1, unfit = 0; ; tries += 1) {
        const place = take()
        try {
          return await use(place, run)
        } catch (error) {
          const isUnfit = isOutdated(error) || (isReadOnly(error) && isOld(place))
          if (isUnfit) {
            unfit += 1
            retire(place)
          }
          // What an unfit connection was asked for was not carried out; each may be one.
          const mayAsk = isUnfit
            ? unfit <= DEFAULTS.readConnections
            : tries - unfit < mostTries && toFault(error) === "lost"
          if (!mayAsk || isClosed) throw toSafelightError(error)
        }
      }
    },
    close() {
      isClosed = true
      for (const place of [...places, ...retired]) if (place !== undefined) end(place)
    },
  }
}

/** A server that is read-only is not asked for connection after connection: they serve reads. */
function isOld({ begunAt }: Place): boolean {
  return performance.now() - begunAt >= DEFAULTS.retryMaxMs
}

function begin(opening: Promise<Connection>): Place {
  let connection: Connection | undefined
  let failedAt: number | undefined
  opening.then(
    (opened) => (connection = opened),
    () => (failedAt = performance.now()),
  )
  return {
    opening,
    begunAt: performance.now(),
    asking: 0,
    isUsable() {
      if (failedAt !== undefined) return performance.now() - failedAt < DEFAULTS.reopenMs
      return connection?.isOpen() !== false
    },
  }
}

function end({ opening }: Place): void {
  void opening.then(
    (connection) => connection.destroy(),
    () => undefined,
  )
}
