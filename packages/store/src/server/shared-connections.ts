/**
 * A few connections that many callers share in turn, opened when they are needed, each carrying many queries
 * at once. A connection that can't answer what another one could is retired: it gets no new queries, and is
 * closed after its last pending answer.
 */
import assert from "node:assert/strict"
import { closed, isUnreached, toFault, toSafelightError } from "../sql/database-error.ts"
import { SERVER_PATIENCE } from "../writing/patience.ts"
import type { Connection, OpenConnection } from "./connection.ts"

/** How long a failure to connect is returned to every caller, so that a crowd of callers makes no crowd of tries. */
export const REOPEN_MS = 200

export interface SharedConnections {
  /**
   * Runs `run` on one of them, up to `mostTries` times if connections are lost. Rejects with
   * a `SafelightError`.
   */
  readonly ask: <Result>(
    run: (connection: Connection) => Promise<Result>,
    mostTries: number,
  ) => Promise<Result>
  readonly close: () => void
}

interface Member {
  readonly opening: Promise<Connection>
  /** On the monotonic clock. */
  readonly begunAt: number
  /** When it failed to open, on the monotonic clock; undefined if it did not. */
  failedAt(): number | undefined
  /** Callers that wait for an answer, or for the connection. */
  asking: number
  /** It had ended before it was asked. */
  isGone: boolean
  /** Also while it is being opened. */
  isUsable(): boolean
  isOpen(): boolean
}

/** The connections, each asked after the one before. */
function createRing(open: OpenConnection, count: number) {
  const members: (Member | undefined)[] = []
  const retired = new Set<Member>()
  let next = 0

  /** The next one; a connection that just could not be opened is passed over while there are others. */
  function take(): Member {
    let failed: Member | undefined
    for (let step = 0; step < count; step += 1) {
      next = (next + 1) % count
      const there = members[next]
      if (there?.isUsable() === true) return there
      // Taken before anything is waited for: of a crowd only the first opens one.
      if (there === undefined || !isResting(there)) return (members[next] = begin(open()))
      failed = there
    }
    assert.ok(failed)
    return failed
  }

  /** Many callers may call it at once. */
  function retire(member: Member): void {
    const position = members.indexOf(member)
    if (position < 0) return
    members[position] = undefined
    retired.add(member)
    endUnasked(member)
  }

  function endUnasked(member: Member): void {
    if (member.asking === 0 && retired.delete(member)) end(member)
  }

  return {
    take,
    retire,
    hasOpen: () => members.some((member) => member?.isOpen() === true),
    async use<Result>(
      member: Member,
      run: (connection: Connection) => Promise<Result>,
    ): Promise<Result> {
      member.asking += 1
      try {
        const connection = await member.opening
        await confirm(member, connection)
        return await run(connection)
      } finally {
        member.asking -= 1
        endUnasked(member)
      }
    },
    close() {
      for (const member of [...members, ...retired]) if (member !== undefined) end(member)
    },
  }
}

export function createSharedConnections(open: OpenConnection, count: number): SharedConnections {
  const ring = createRing(open, count)
  let isClosed = false

  /** Whether nothing was carried out, and the next connection may do it. */
  function wasInVain(member: Member, error: unknown): boolean {
    if (member.failedAt() !== undefined) return ring.hasOpen()
    if (member.isGone) return true
    const fault = toFault(error)
    const isUnfit = fault === "outdated" || (fault === "read-only" && isOld(member))
    if (isUnfit) ring.retire(member)
    return isUnfit
  }

  return {
    async ask(run, mostTries) {
      const askedAt = performance.now()
      for (let tries = 1, inVain = 0; ; tries += 1) {
        if (isClosed) throw closed()
        const member = ring.take()
        try {
          return await ring.use(member, run)
        } catch (error) {
          const isInVain = wasInVain(member, error)
          if (isInVain) inVain += 1
          const isSoon = wasLostSoon(error, askedAt)
          const mayAsk = isInVain
            ? inVain <= count && (isSoon || !member.isGone)
            : isSoon && tries - inVain < mostTries
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

async function confirm(member: Member, connection: Connection): Promise<void> {
  try {
    await connection.confirm?.()
  } catch (error) {
    member.isGone = true
    connection.destroy()
    throw error
  }
}

/** A network that was silent for so long is likely to stay silent: a caller does not wait a second time. */
function wasLostSoon(error: unknown, askedAt: number): boolean {
  return isUnreached(error) && performance.now() - askedAt < SERVER_PATIENCE.connectPatienceMs
}

function isResting(member: Member): boolean {
  const failedAt = member.failedAt()
  return failedAt !== undefined && performance.now() - failedAt < REOPEN_MS
}

/** A read-only server would otherwise be asked for one connection after another, though they serve reads. */
function isOld({ begunAt }: Member): boolean {
  return performance.now() - begunAt >= SERVER_PATIENCE.retryMaxMs
}

function begin(opening: Promise<Connection>): Member {
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
    isGone: false,
    failedAt: () => failedAt,
    isOpen: () => connection?.isOpen() === true,
    isUsable: () => failedAt === undefined && connection?.isOpen() !== false,
  }
}

function end({ opening }: Member): void {
  void opening.then(
    (connection) => connection.destroy(),
    () => undefined,
  )
}
