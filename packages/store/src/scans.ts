/**
 * Pages of streams for audits. Ids are read from every table that names tasks, so a row whose task or events are
 * missing is shown all the same; a page is one snapshot of the database.
 */
import {
  isSafelightError,
  type SafelightErrorCode,
  type ScannedStream,
  type Storage,
} from "@safelight/core"
import { toArchivedRow, type ArchivedStreams } from "./archived-streams.ts"
import type { Database } from "./sql/driver.ts"
import { describeStatements, toRows, type Compiler, type RawRows } from "./sql/statement.ts"
import { TABLES } from "./sql/tables.ts"

/** Rows of task ids past `after` up to and with `last`. */
export interface Range {
  readonly after: string
  readonly last: string
}

type Found = readonly RawRows[]

type TaskTable = "events" | "charges" | "outcomes" | "ready" | "retention"

const IDS = describeStatements(({ db, compile }) => {
  // Each table gives its own first `limit` ids, so that no union ever walks a whole table.
  const idsOf = (table: TaskTable, after: string, limit: number) =>
    db
      .selectFrom(
        db
          .selectFrom(table)
          .select("task")
          .distinct()
          .where("task", ">", after)
          .orderBy("task")
          .limit(limit)
          .as(`${table}Ids`),
      )
      .select("task")
  return {
    scanIds: compile(({ after, limit }: { after: string; limit: number }) => {
      const tasks = db.selectFrom("tasks").select("task").where("task", ">", after)
      const ids = db
        .selectFrom(tasks.orderBy("task").limit(limit).as("taskIds"))
        .select("task")
        .union(idsOf("events", after, limit))
        .union(idsOf("charges", after, limit))
        .union(idsOf("outcomes", after, limit))
        .union(idsOf("ready", after, limit))
        .union(idsOf("retention", after, limit))
      return db.selectFrom(ids.as("ids")).select("task").orderBy("task").limit(limit)
    }),
  }
})

const ROWS = describeStatements(({ db, compile }) => ({
  scanTasks: compile(({ after, last }: Range) =>
    db
      .selectFrom("tasks")
      .select(TABLES.tasks.members)
      .where("task", ">", after)
      .where("task", "<=", last),
  ),
  scanEvents: compile(({ after, last }: Range) =>
    db
      .selectFrom("events")
      .select(TABLES.events.members)
      .where("task", ">", after)
      .where("task", "<=", last)
      .orderBy("task")
      .orderBy("version"),
  ),
  scanCharges: compile(({ after, last }: Range) =>
    db
      .selectFrom("charges")
      .select(TABLES.charges.members)
      .where("task", ">", after)
      .where("task", "<=", last),
  ),
  scanOutcomes: compile(({ after, last }: Range) =>
    db
      .selectFrom("outcomes")
      .select(TABLES.outcomes.members)
      .where("task", ">", after)
      .where("task", "<=", last)
      .orderBy("task")
      .orderBy("attempt"),
  ),
}))

const PLACES = describeStatements(({ db, compile }) => ({
  scanReady: compile(({ after, last }: Range) =>
    db
      .selectFrom("ready")
      .select(["task", "account", "endBy", "model"])
      .where("task", ">", after)
      .where("task", "<=", last),
  ),
  scanRetention: compile(({ after, last }: Range) =>
    db
      .selectFrom("retention")
      .select(TABLES.retention.members)
      .where("task", ">", after)
      .where("task", "<=", last),
  ),
  scanInputs: compile(({ after, last }: Range) =>
    db
      .selectFrom("inputs")
      .select("task")
      .distinct()
      .where("task", ">", after)
      .where("task", "<=", last),
  ),
}))

export const SCAN_STATEMENTS = describeStatements((compiler) => ({
  ...IDS(compiler),
  ...ROWS(compiler),
  ...PLACES(compiler),
}))

export function createScanMethod(
  { snapshot }: Database,
  compiler: Compiler,
  archived: ArchivedStreams,
): Pick<Storage, "scan"> {
  const statements = SCAN_STATEMENTS(compiler)
  const { scanIds, scanTasks, scanEvents, scanCharges, scanOutcomes } = statements
  const { scanReady, scanRetention, scanInputs } = statements
  const ofRows = [scanTasks, scanEvents, scanCharges, scanOutcomes]
  const others = [...ofRows, scanReady, scanRetention, scanInputs]

  /** By task, what the tables hold of it. */
  function toRowsOf([tasks = [], events = [], charges = [], outcomes = []]: Found) {
    const rows = new Map(
      toRows(scanTasks, tasks).map(({ task: id, ...row }) => [id, { ...row, id }]),
    )
    const eventsOf = Map.groupBy(toRows(scanEvents, events), toTask)
    const chargeOf = new Map(toRows(scanCharges, charges).map((row) => [row.task, row]))
    const outcomesOf = Map.groupBy(toRows(scanOutcomes, outcomes), toTask)
    return (id: string) => ({
      id,
      events: eventsOf.get(id) ?? [],
      row: rows.get(id),
      charge: chargeOf.get(id),
      outcomes: outcomesOf.get(id) ?? [],
    })
  }

  /** By task, its queue and retention rows. */
  function toPlaceOf([ready = [], retention = [], inputs = []]: Found) {
    const readyOf = new Map(
      toRows(scanReady, ready).map(({ task, ...facts }) => [task, facts] as const),
    )
    const retainedAt = new Map(
      toRows(scanRetention, retention).map(({ task, dueAt }) => [task, dueAt] as const),
    )
    const withInputs = new Set(toRows(scanInputs, inputs).map(toTask))
    return (id: string) => ({
      ready: readyOf.get(id),
      retainedAt: retainedAt.get(id),
      hasInputs: withInputs.has(id),
    })
  }

  return {
    async scan({ after, limit }) {
      const [ids = [], ...found] = await snapshot({ first: scanIds, others, after, limit })
      const rowsOf = toRowsOf(found)
      const placeOf = toPlaceOf(found.slice(ofRows.length))
      const streams = await Promise.all(
        toRows(scanIds, ids).map(({ task: id }) =>
          withArchived({ ...rowsOf(id), ...placeOf(id) }, archived),
        ),
      )
      return { streams, next: streams.length < limit ? null : (streams.at(-1)?.id ?? null) }
    },
  }
}

/**
 * An archived task with its events, and with the rows that they make; of others nothing is added. One whose segment is
 * damaged stands there without events, or with what its row says in place of a snapshot, so that an audit names it.
 */
async function withArchived(
  stream: ScannedStream,
  archived: ArchivedStreams,
): Promise<ScannedStream> {
  const { events, id, row } = stream
  // Events that are there all the same are no part of it.
  if (row === undefined || events.length > 0) return stream
  const found = await orDamaged(() => archived.findStream({ ...row, task: id }))
  if (found === undefined) return stream
  const made = await orDamaged(async () => toArchivedRow(found))
  const snapshot = made?.snapshot ?? row.snapshot
  return { ...stream, events: found.events, row: { ...row, snapshot } }
}

/** Undefined if what is read is damaged. */
async function orDamaged<Value>(
  read: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  try {
    return await read()
  } catch (error) {
    const isDamage = isSafelightError(error) && DAMAGE.has(error.code)
    if (!isDamage) throw error
    return undefined
  }
}

const DAMAGE: ReadonlySet<SafelightErrorCode> = new Set(["schema-too-new", "storage-corrupt"])

function toTask({ task }: { readonly task: string }): string {
  return task
}
