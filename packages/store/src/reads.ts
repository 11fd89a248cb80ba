/**
 * Reads and erasures by a task's id. The newest state of a task is the most frequent read: reads of one turn
 * of the event loop are gathered, and a head whose text is known is not parsed again.
 */
import {
  createBoundedCache,
  fromSnapshot,
  REQUEST_INPUT,
  type Storage,
  type StreamHead,
} from "@safelight/core"
import { sql } from "kysely"
import { ADMISSION_STATEMENTS } from "./admission.ts"
import { isArchivedSnapshot } from "./archived-snapshot.ts"
import { toArchivedHead, type ArchivedStreams, type HeadRow } from "./archived-streams.ts"
import { countOf, toStep, type Database } from "./sql/driver.ts"
import { createGatheredRead } from "./gathered-read.ts"
import { LABEL_STATEMENTS, toLabels } from "./labels.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { TABLES } from "./sql/tables.ts"

/** Tasks whose newest state is kept in memory: about 2 KB each, twice that many. */
const KEPT_HEADS = 4_096

export interface OfTask {
  readonly task: string
}

export interface EventsAfter extends OfTask {
  /** A version. */
  readonly passed: number
  readonly limit: number
}

export interface OfTasks {
  readonly tasks: readonly string[]
}

export interface OfRequests extends OfTasks {
  readonly mostBytes: number
}

export const READ_STATEMENTS = describeStatements(({ db, compile, members }) => ({
  findHeads: compile(({ tasks }: OfTasks) =>
    db.selectFrom("tasks").select(["task", "snapshot", "hash"]).where("task", "in", members(tasks)),
  ),
  findInputs: compile(({ tasks }: OfTasks) =>
    db.selectFrom("inputs").select(TABLES.inputs.members).where("task", "in", members(tasks)),
  ),
  /** The size stands with a body, so that a large one is not read to be left out. */
  findRequests: compile(({ mostBytes, tasks }: OfRequests) =>
    db
      .selectFrom("inputs")
      .select(["task", "body"])
      .where("task", "in", members(tasks))
      .where("name", "=", sql.lit(REQUEST_INPUT))
      .where(sql<number>`octet_length(${sql.ref("body")})`, "<=", mostBytes),
  ),
  findEvents: compile(({ task }: OfTask) =>
    db
      .selectFrom("events")
      .select(TABLES.events.members)
      .where("task", "=", task)
      .orderBy("version"),
  ),
  findEventPage: compile(({ limit, passed, task }: EventsAfter) =>
    db
      .selectFrom("events")
      .select(TABLES.events.members)
      .where("task", "=", task)
      .where("version", ">", passed)
      .orderBy("version")
      .limit(limit),
  ),
  /**
   * The first step: it waits for concurrent appends that have seen the request, and no later append sees it.
   */
  eraseRequest: compile(({ task }: OfTask) =>
    db.deleteFrom("inputs").where("task", "=", task).where("name", "=", sql.lit(REQUEST_INPUT)),
  ),
  eraseInputs: compile(({ task }: OfTask) => db.deleteFrom("inputs").where("task", "=", task)),
}))

type ReadMethods = Pick<
  Storage,
  | "readTask"
  | "readEvents"
  | "readInput"
  | "readLabels"
  | "readRequests"
  | "eraseInputs"
  | "findIdempotency"
  | "forgetIdempotency"
>

export function createReadMethods(
  driver: Database,
  compiler: Compiler,
  archived: ArchivedStreams,
): ReadMethods {
  const { read, commit } = driver
  const statements = READ_STATEMENTS(compiler)
  const { eraseLabels, findLabels } = LABEL_STATEMENTS(compiler)
  const { eraseIdempotency, findIdempotency, forgetIdempotency } = ADMISSION_STATEMENTS(compiler)

  // All inputs of a task by name: nearly always the request alone, asked for with every start.
  const readInputs = createGatheredRead(async (tasks) => {
    const byTask = Map.groupBy(await read(statements.findInputs, { tasks }), ({ task }) => task)
    return new Map([...byTask].map(([task, inputs]) => [task, () => inputs]))
  })

  return {
    readTask: createHeadReader(driver, compiler, archived),
    readEvents(task, range) {
      const { after: passed, limit } = range ?? { after: 0, limit: Infinity }
      return archived.readRows(task, {
        read: () =>
          range === undefined
            ? read(statements.findEvents, { task })
            : read(statements.findEventPage, { task, passed, limit }),
        fromStream: ({ events }) => events.slice(passed, passed + limit),
      })
    },
    async readInput({ task, name }) {
      return (await readInputs(task))?.find((input) => input.name === name)
    },
    async readRequests(request) {
      if (request.tasks.length === 0) return new Map()
      const rows = await read(statements.findRequests, request)
      return new Map(rows.map(({ body, task }) => [task, body]))
    },
    readLabels: async (task) => toLabels(await read(findLabels, { task })),
    async eraseInputs(task, { keepsNames } = { keepsNames: false }) {
      const { eraseInputs, eraseRequest } = statements
      const inputs = [toStep(eraseRequest, { task }), toStep(eraseInputs, { task })]
      const names = [toStep(eraseLabels, { task }), toStep(eraseIdempotency, { task })]
      const steps = keepsNames ? inputs : [...inputs, ...names]
      const done = await commit({ steps })
      return steps.some((_, index) => countOf(done, index) > 0)
    },
    async findIdempotency(request) {
      const [found] = await read(findIdempotency, request)
      return found
    },
    async forgetIdempotency(request) {
      return countOf(await commit({ steps: [toStep(forgetIdempotency, request)] }), 0)
    },
  }
}

interface KnownHead {
  readonly head: StreamHead
  /** The text that the head was parsed from. */
  readonly snapshot: string
  /** Of the database when it was read. */
  readonly state: number | undefined
}

function createHeadReader(
  { read, readState }: Database,
  compiler: Compiler,
  archived: ArchivedStreams,
): Storage["readTask"] {
  const { findHeads } = READ_STATEMENTS(compiler)
  const known = createBoundedCache<KnownHead>(KEPT_HEADS)

  /** The head, or the row of an archived task: nobody who reads another one waits for the archive. */
  const readHead = createGatheredRead<StreamHead | HeadRow>(async (ids) => {
    const state = readState?.()
    const heads = new Map<string, () => StreamHead | HeadRow>()
    const tasks = ids.filter((id) => {
      const last = known.get(id)
      const isNewest = last !== undefined && state !== undefined && last.state === state
      if (isNewest) heads.set(id, () => last.head)
      return !isNewest
    })
    const rows = tasks.length === 0 ? [] : await read(findHeads, { tasks })
    for (const row of rows) {
      const { task: id, snapshot, hash } = row
      heads.set(id, () => {
        if (isArchivedSnapshot(snapshot)) return row
        const last = known.get(id)
        // A rebuild changes the text of a row and not its hash.
        const isSame = last?.head.hash === hash && last.snapshot === snapshot
        const head = isSame ? last.head : { task: fromSnapshot(snapshot), hash }
        known.set(id, { head, snapshot, state })
        return head
      })
    }
    return heads
  })

  return async (id) => {
    const found = await readHead(id)
    if (found === undefined || !("snapshot" in found)) return found
    const stream = await archived.findStream(found)
    return stream && toArchivedHead(stream)
  }
}
