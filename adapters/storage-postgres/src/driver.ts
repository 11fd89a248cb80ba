/**
 * PostgreSQL as the store's driver. Appends go through the writer's lanes, which commit each batch as one
 * statement; everything else through a few shared connections.
 */
import assert from "node:assert/strict"
import { SILENT_LOG, type Log } from "@safelight/core"
import {
  answerQuestion,
  createServerLane,
  createSessions,
  createTransactions,
  createWriter,
  measureAppend,
  ownStatement,
  SERVER_PATIENCE,
  type Driver,
  type LogChange,
  type LogOutcome,
} from "@safelight/store"
import { createBatchCommit } from "./commit-batch.ts"
import { createOpener, type PostgresConnection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { POSTGRES_DIALECT } from "./dialect.ts"
import { createNotifications } from "./notifications.ts"
import type { Keeping } from "./keeping.ts"
import { createOriginReader } from "./origin.ts"
import { createReplica, type Replica } from "./replica.ts"
import type { PostgresStorageOptions } from "./storage.ts"
import { writeNothing } from "./write-nothing.ts"

/** The statement's clock and not its transaction's, which stands still from its beginning on. */
const READ_CLOCK = ownStatement<{ readonly now: number }, object>(
  "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint",
  [],
  ["now"],
)

const ANSWER = ownStatement<{ readonly one: number }, object>("select 1", [], ["one"])

const ONE_SNAPSHOT = "begin isolation level repeatable read read only"

const toLock = (table: string) => `lock table ${table} in share row exclusive mode`

export interface DriverOptions extends Pick<
  PostgresStorageOptions,
  "lanes" | "log" | "onCommit" | "onRead" | "readUrl" | "url"
> {
  readonly keeping: Keeping
  /** Opens a connection that can listen; undefined if none can. */
  readonly openListening: (() => Promise<PostgresConnection>) | undefined
}

export function createDriver(options: DriverOptions): Driver {
  const { keeping, openListening, url, log = SILENT_LOG, onCommit = () => {} } = options
  const open = createOpener(url, keeping)
  const sessions = createSessions({ ...DEFAULTS.reading, open: open("reading"), toLock })
  const taking = createSessions({ ...DEFAULTS.taking, open: open("taking"), toLock })
  const summing = createTransactions(open("summing"), { most: 1, isReading: true })
  const commit = createBatchCommit()
  const lanes = Array.from({ length: options.lanes ?? DEFAULTS.lanes }, () =>
    createServerLane({ open: open("committing", "batches"), commit, prove: writeNothing }),
  )
  const writer = createWriter<LogChange, LogOutcome>({
    lanes,
    patience: SERVER_PATIENCE,
    toKey: ({ append }) => append.task,
    onCommit,
  })
  const answer: Driver["answer"] = (question) =>
    summing.transact(ONE_SNAPSHOT, (session) => answerQuestion(session, question))
  const replica = openReplica(options, { answer, read: sessions.read }, log)
  return {
    ...(replica && { replica }),
    read: sessions.read,
    commit: sessions.commit,
    queue: taking,
    dialect: POSTGRES_DIALECT,
    keepsDeadRows: true,
    answer,
    writeLog: (work) =>
      writer.write({ work, isAsked: work.isAsked, bytes: measureAppend(work.append) }),
    notifications: createNotifications(sessions, openListening),
    readOrigin: createOriginReader(sessions, log),
    async readClock() {
      const [row] = await sessions.read(READ_CLOCK, {})
      assert.ok(row, "a clock gives a row")
      return row.now
    },
    /** In this order: where connections are few, those that commit have theirs before the others. */
    async check() {
      await writer.prove()
      await taking.read(ANSWER, {})
      await sessions.read(ANSWER, {})
    },
    async close() {
      replica?.close()
      await writer.drain()
      for (const part of [...lanes, taking, sessions, summing]) part.close()
    },
  }
}

function openReplica(
  { onRead = () => {}, readUrl: url }: DriverOptions,
  primary: Pick<Driver, "answer" | "read">,
  log: Log,
): Replica | undefined {
  return url === undefined ? undefined : createReplica({ url, primary, log, onRead })
}
