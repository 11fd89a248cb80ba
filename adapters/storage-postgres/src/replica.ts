/**
 * Reads that a replica may answer. Each asks the primary first for its position in the log, and the replica then, over
 * the connection of the read, whether it has replayed that: so a read sees every commit that was acknowledged before,
 * on whichever node, and no commit waits for anything. What the replica can't answer is asked at the primary.
 */
import assert from "node:assert/strict"
import { setTimeout as delay } from "node:timers/promises"
import type { Log } from "@safelight/core"
import {
  answerQuestion,
  createGatheredRead,
  createSharedConnections,
  createTransactions,
  DatabaseError,
  ownStatement,
  readStep,
  toFault,
  toRows,
  toStep,
  type Connection,
  type Driver,
  type RawRows,
  type Step,
} from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"
import { createReplicaOpener, IDENTIFY, NO_STANDBY } from "./open-replica.ts"
import { createReplicaWatch, type ReplicaWatch } from "./replica-watch.ts"

/** Who answered a read that a replica may answer. */
export type Answerer = "primary" | "replica"

export interface ReplicaOptions {
  readonly url: string
  readonly primary: Pick<Driver, "answer" | "read">
  readonly log: Log
  readonly onRead: (answerer: Answerer) => void
}

export interface Replica extends Pick<Driver, "answer" | "read"> {
  readonly close: () => void
}

type Asked = Pick<Connection, "runStep">

/** With the timeline, which is another after each failover: `00000002 0/3000148`. */
const FIND_POSITION = ownStatement<{ readonly position: string }, object>(
  `select substr(pg_walfile_name(lsn), 1, 8) || ' ' || lsn from pg_current_wal_lsn() as lsn`,
  [],
  ["position"],
)

/**
 * Null where it is no standby. A standby that was ahead of the one that was promoted holds commits that are lost: it
 * never gets to the new timeline. Any other tells of it when it streams, or else with its next restartpoint; only a role
 * with `pg_read_all_stats` sees the first.
 */
const HAS_REPLAYED = ownStatement<
  { readonly isReplayed: boolean | null },
  { readonly position: string }
>(
  `select case when pg_is_in_recovery() then coalesce(
    pg_last_wal_replay_lsn() >= split_part($1::text, ' ', 2)::pg_lsn and lpad(to_hex(greatest(
      (select timeline_id from pg_catalog.pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_catalog.pg_control_recovery()),
      (select received_tli from pg_catalog.pg_stat_wal_receiver))), 8, '0')
      = lower(split_part($1::text, ' ', 1)), false) end`,
  ["position"],
  ["isReplayed"],
)

/** Here a snapshot is taken behind the proof that everything was replayed. */
const NEXT_SNAPSHOT = "commit; begin isolation level repeatable read read only"

export function createReplica({ log, onRead, primary, url }: ReplicaOptions): Replica {
  const open = createReplicaOpener(url, async () => {
    const [identity] = await primary.read(IDENTIFY, {})
    assert.ok(identity, "a server has an identity")
    return identity
  })
  let pool = createPool(open)
  const readPosition = createPositionReader(primary)
  const watch = createReplicaWatch({
    log,
    readPosition,
    hasReplayed: (position) => pool.ask((connection) => hasReplayed(connection, position)),
    disconnect() {
      pool.close()
      pool = createPool(open)
    },
  })

  const ask = createFallback({ onRead, readPosition, watch })
  return {
    async read(statement, values) {
      const step = toStep(statement, values)
      return ask(
        async (position) => {
          const rows = await pool.ask((connection) => readAt(connection, position, step))
          return rows && toRows(statement, rows)
        },
        async () => [...(await primary.read(statement, values))],
      )
    },
    answer: (question) =>
      ask(
        (position) =>
          pool.transact("begin", async (session) => {
            if (!(await isReached(session, position))) return undefined
            await session.execute(NEXT_SNAPSHOT)
            return answerQuestion(session, question)
          }),
        () => primary.answer(question),
      ),
    close() {
      watch.close()
      pool.close()
    },
  }
}

interface FallbackOptions extends Pick<ReplicaOptions, "onRead"> {
  readonly readPosition: () => Promise<string>
  readonly watch: ReplicaWatch
}

/** What asks the replica, and the primary if the replica may not be asked or has no answer. */
function createFallback({ onRead, readPosition, watch }: FallbackOptions) {
  return async <Answer>(
    atReplica: (position: string) => Promise<Answer | undefined>,
    atPrimary: () => Promise<Answer>,
  ): Promise<Answer> => {
    if (watch.mayAsk()) {
      try {
        const answer = await atReplica(await readPosition())
        if (answer !== undefined) {
          onRead("replica")
          return answer
        }
        watch.rest(false)
      } catch (error) {
        const fault = toFault((error as Error).cause)
        // A read that was too slow is as slow again.
        if (fault === "held") throw error
        // One that conflicted with the replay says nothing of the next.
        if (fault !== "passing") watch.rest(true)
      }
    }
    onRead("primary")
    return atPrimary()
  }
}

function createPool(open: () => Promise<Connection>) {
  const shared = createSharedConnections(open, DEFAULTS.replica.shared)
  const long = createTransactions(open, { most: 1, isReading: true, mostTries: 1 })
  return {
    ask: <Answer>(run: (connection: Connection) => Promise<Answer>) => shared.ask(run, 1),
    transact: long.transact,
    close() {
      shared.close()
      long.close()
    },
  }
}

/** Reads of one turn of the event loop ask for it once. */
function createPositionReader({ read }: Pick<Driver, "read">): () => Promise<string> {
  const find = createGatheredRead(async () => {
    const rows = await read(FIND_POSITION, {})
    return new Map(rows.map(({ position }) => ["", () => position]))
  })
  return async () => {
    const position = await find("")
    assert.ok(position, "a primary has a position")
    return position
  }
}

/** Undefined if the replica is too far behind. */
async function readAt(
  connection: Asked,
  position: string,
  step: Step,
): Promise<RawRows | undefined> {
  // Sent together: mostly it has replayed everything.
  const [isReplayed, rows] = await Promise.all([
    hasReplayed(connection, position),
    readStep(connection, step),
  ])
  if (isReplayed) return rows
  return (await isReached(connection, position)) ? readStep(connection, step) : undefined
}

/** Waits for a while. */
async function isReached(connection: Asked, position: string): Promise<boolean> {
  for (const pauseMs of DEFAULTS.replica.pausesMs) {
    // oxlint-disable-next-line no-await-in-loop -- until it is
    if (await hasReplayed(connection, position)) return true
    // oxlint-disable-next-line no-await-in-loop -- as above
    await delay(pauseMs)
  }
  return hasReplayed(connection, position)
}

/** Rejects where it is no standby any more. */
async function hasReplayed(connection: Asked, position: string): Promise<boolean> {
  const rows = await readStep(connection, toStep(HAS_REPLAYED, { position }))
  const isReplayed = toRows(HAS_REPLAYED, rows)[0]?.isReplayed ?? null
  if (isReplayed === null) throw new DatabaseError({ fault: "lost", message: NO_STANDBY })
  return isReplayed
}
