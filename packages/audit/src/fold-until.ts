/**
 * The log as it stood at a moment, or in the signed tree of a size: each task as the events up to then make it, and the
 * bill of then. Live rows are of now, so none is compared with it. One thing of them is looked at: a row that is ahead of
 * its task's events shows that the newest events are gone, which may have been there at the moment.
 */
import {
  SafelightError,
  takeIntegers,
  POSITIVE,
  type ScannedStream,
  type Storage,
  type TaskState,
} from "@safelight/core"
import { DEFAULTS, type AuditOptions } from "./audit.ts"
import { createDefinitionCheck } from "./check-definitions.ts"
import type { Finding } from "./finding.ts"
import { createMonthlyBills, type MonthlyBill } from "./monthly-bills.ts"
import { readPriceNames } from "./price-names.ts"
import { readPages } from "./read-pages.ts"
import { toReplayRules } from "./replay-rules.ts"
import { createLedger, type AuditProgress, type AuditReport } from "./report.ts"
import { tellTask, type TellRules, type ToldTask } from "./tell-task.ts"

export interface FoldUntilOptions extends Omit<AuditOptions, "storage"> {
  readonly storage: PastStorage
  /** Milliseconds since the Unix epoch: what happened then or before counts. Without it `untilSize` is given. */
  readonly untilAt?: number
  /** The events that the first so many leaves of the tree stand for count, as those of a checkpoint of this size. */
  readonly untilSize?: number
}

/** The last two for `untilSize` alone. */
type PastStorage = Pick<Storage, "findDefinition" | "listDefinitions" | "scan"> &
  Partial<Pick<Storage, "readLeaves" | "readTree">>

/** What a page of the log made. */
export interface PastPage {
  /** Those that existed then, by id. */
  readonly tasks: readonly ToldTask[]
  readonly progress: AuditProgress
}

export interface PastReport extends Omit<AuditReport, "foreignRows"> {
  /** As asked for, or null. */
  readonly untilAt: number | null
  readonly untilSize: number | null
  /** Tasks whose state of then nobody can tell; they are in no page and no sum. */
  readonly untoldTasks: number
  readonly tasksByState: Readonly<Partial<Record<TaskState, number>>>
  /** By account, then by month. */
  readonly bills: readonly MonthlyBill[]
}

/** No date lies behind it (ECMA-262, time values). */
const LAST_MOMENT = 8_640_000_000_000_000

/**
 * Yields the tasks of each page, and returns the report. Nothing is read before it is asked for, and memory is bounded
 * by a page and the number of accounts. `tasks` and `events` of the report are those of then. Rejects with
 * `invalid-configuration` if a number is out of its bounds, neither or both are given, or the tree is smaller, and as the
 * storage does.
 */
export async function* foldUntil(options: FoldUntilOptions): AsyncGenerator<PastPage, PastReport> {
  const { storage } = options
  const { keptFindings, pageStreams, ...known } = takeOptions(options)
  const countEvents = await toCount(options)
  const rules = { ...known, findPrice: await readPriceNames(storage, known) }
  const ledger = createLedger(keptFindings)
  const bills = createMonthlyBills(ledger.find)
  const definitions = createDefinitionCheck(storage, rules.digest)
  const tasksByState: Partial<Record<TaskState, number>> = {}
  let untoldTasks = 0

  function tell(stream: ScannedStream, count: number): readonly ToldTask[] {
    const isCut = findCut(stream, ledger.find)
    const telling = tellTask({ ...stream, count }, rules, ledger.find)
    if (isCut || telling.kind === "untold") untoldTasks += 1
    if (isCut || telling.kind !== "told") return []
    const { charge, event, task } = telling.told
    ledger.countTask(event.version)
    tasksByState[task.state] = (tasksByState[task.state] ?? 0) + 1
    if (charge !== null) bills.add(charge)
    definitions.note(task)
    return [telling.told]
  }

  for await (const { streams } of readPages(storage, pageStreams)) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const counts = await Promise.all(streams.map(countEvents))
    const tasks = streams.flatMap((stream, place) => tell(stream, counts[place] ?? 0))
    await definitions.examine(ledger)
    yield { tasks, progress: ledger.toProgress() }
  }
  const { foreignRows: _none, ...report } = ledger.toReport()
  const { untilAt = null, untilSize = null } = options
  return { ...report, untilAt, untilSize, untoldTasks, tasksByState, ...bills.toReport() }
}

/** How many events of a stream there were then. */
type CountEvents = (stream: ScannedStream) => Promise<number>

async function toCount({ storage, untilAt, untilSize }: FoldUntilOptions): Promise<CountEvents> {
  if ((untilAt === undefined) === (untilSize === undefined)) {
    throw invalid("either untilAt or untilSize must be given")
  }
  if (untilSize === undefined) {
    return async ({ events }) => {
      const later = events.findIndex(({ at }) => at > (untilAt ?? 0))
      return later === -1 ? events.length : later
    }
  }
  const { size = 0 } = (await storage.readTree?.()) ?? {}
  if (untilSize > size) throw invalid(`untilSize: the tree has ${size} events`)
  return async ({ id }) => {
    const leaves = (await storage.readLeaves?.(id)) ?? []
    return leaves.filter(({ index }) => index < untilSize).length
  }
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}

interface Taken extends Omit<TellRules, "findPrice"> {
  readonly keptFindings: number
  readonly pageStreams: number
}

function takeOptions(options: FoldUntilOptions): Taken {
  const counts = takeIntegers({
    bounds: {
      keptFindings: POSITIVE,
      pageStreams: POSITIVE,
      untilAt: [0, LAST_MOMENT],
      untilSize: [0, Number.MAX_SAFE_INTEGER],
    },
    defaults: { ...DEFAULTS, untilAt: LAST_MOMENT, untilSize: 0 },
    options,
  })
  const { keptFindings, pageStreams } = counts
  return { keptFindings, pageStreams, ...toReplayRules(options), digest: options.digest }
}

/** Whether the newest events of the task are gone, by its row. */
function findCut({ events, id, row }: ScannedStream, find: (finding: Finding) => void): boolean {
  const newest = events.at(-1)?.version ?? 0
  if (row === undefined || row.version <= newest) return false
  const place = { task: id, version: newest === 0 ? null : newest, found: row.version }
  if (newest === 0) find({ kind: "row-orphaned", ...place, expected: null })
  else find({ kind: "row-differs", ...place, field: "version", expected: newest })
  return true
}
