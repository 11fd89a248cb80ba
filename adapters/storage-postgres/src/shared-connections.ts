/**
 * The connections that many callers share: a few, opened when they are needed, each carrying many
 * queries at once, asked in turn. A connection that is unfit for a question which another could answer
 * is retired: nobody new gets it, and it ends with the last answer that somebody waits for.
 */
import assert from "node:assert/strict"
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { closed } from "@safelight/store"
import { isOutdated, isReadOnly, toFault, toSafelightError } from "./sql-error.ts"

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
  /** Whether it could not be opened, and when that was known; on the monotonic clock. */
  failedAt(): number | undefined
  /** How many wait for an answer, or for the connection. */
  asking: number
  /** Also while it is being opened. */
  isUsable(): boolean
  isOpen(): boolean
}

/** The places, asked in turn. */
function createRing(open: () => Promise<Connection>, count: number) {
  const places: (Place | undefined)[] = []
  const retired = new Set<Place>()
  let next = 0

  /** The next in turn; one that just could not be opened is passed over while there are others. */
  function take(): Place {
    let failed: Place | undefined
    for (let step = 0; step < count; step += 1) {
      next = (next + 1) % count
      const there = places[next]
      if (there?.isUsable() === true) return there
      // Taken before anything is waited for: of a crowd only the first opens one.
      if (there === undefined || !isResting(there)) return (places[next] = begin(open()))
      failed = there
    }
    assert.ok(failed)
    return failed
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

  return {
    take,
    retire,
    hasOpen: () => places.some((place) => place?.isOpen() === true),
    async use<Result>(
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
    },
    close() {
      for (const place of [...places, ...retired]) if (place !== undefined) end(place)
    },
  }
}

export function createSharedConnections(
  open: () => Promise<Connection>,
  count: number,
): SharedConnections {
  const ring = createRing(open, count)
  let isClosed = false

  /** Whether nothing was carried out, and the next place may do it. */
  function wasInVain(place: Place, error: unknown): boolean {
    if (place.failedAt() !== undefined) return ring.hasOpen()
    const isUnfit = isOutdated(error) || (isReadOnly(error) && isOld(place))
    if (isUnfit) ring.retire(place)
    return isUnfit
  }

  return {
    async ask(run, mostTries) {
      const askedAt = performance.now()
      for (let tries = 1, inVain = 0; ; tries += 1) {
        if (isClosed) throw closed()
        const place = ring.take()
        try {
          return await ring.use(place, run)
        } catch (error) {
          const isInVain = wasInVain(place, error)
          if (isInVain) inVain += 1
          const mayAsk = isInVain
            ? inVain <= count
            : tries - inVain < mostTries && wasLostSoon(error, askedAt)
          if (!mayAsk || isClosed) throw toSafelightError(error)
        }
      }
    },
    close() {
      isClosed = true
      ring.close()
    },
  }
}

/** A network that was silent for so long is silent for longer: who asks waits no second time. */
function wasLostSoon(error: unknown, askedAt: number): boolean {
  return toFault(error) === "lost" && performance.now() - askedAt < DEFAULTS.connectTimeoutMs
}

/** A crowd of callers makes no crowd of tries: the error of the last one is told to all of them. */
function isResting(place: Place): boolean {
  const failedAt = place.failedAt()
  return failedAt !== undefined && performance.now() - failedAt < DEFAULTS.reopenMs
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
    failedAt: () => failedAt,
    isOpen: () => connection?.isOpen() === true,
    isUsable: () => failedAt === undefined && connection?.isOpen() !== false,
  }
}

function end({ opening }: Place): void {
  void opening.then(
    (connection) => connection.destroy(),
    () => undefined,
  )
}
