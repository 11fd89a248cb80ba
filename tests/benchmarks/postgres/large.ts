/**
 * What grows with the database: the same work at 100,000 tasks, at 2,000,000 and with `--tasks=20000000` at as many, of
 * one server and round by round in turn, so that whatever else the machine does meets all sizes. Ratios compare the
 * largest database with the smallest. `get` reads tasks that are not archived, which are the newest twentieth,
 * `get_recent` the newest 5,000, and `get_archived` the others, without the file of their segment.
 */
import { parseArgs } from "node:util"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { median, percentile, ratePerSecond } from "../measure.ts"
import { note, reportFigures } from "./figures.ts"
import {
  createLargeDatabase,
  openLargeServer,
  toAccount,
  type LargeDatabase,
} from "./large-database.ts"
import { measureMigration } from "./large-migrations.ts"
import { openOwn, type Own } from "./own.ts"

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    tasks: { type: "string", default: "2000000" },
  },
})
const LARGEST = Number(values.tasks)
const SIZES = values.quick
  ? [1_000, 5_000]
  : [...[100_000, 2_000_000].filter((size) => size < LARGEST), LARGEST]
const TEMPLATES = values.quick ? 50 : 500
/** Rounds in turn; one more comes before them and is dropped. */
const ROUNDS = values.quick ? 1 : 7
const READS = values.quick ? 100 : 2_000
const FEW_READS = values.quick ? 10 : 100
const SUBMISSIONS = values.quick ? 100 : 4_000
const LIVES = values.quick ? 50 : 1_000
const CLAIMS = values.quick ? 10 : 50
const RECENT = values.quick ? 50 : 5_000
const CALLERS = 4
const MANY_CALLERS = 256
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MONTH_MS = 30 * DAY_MS

interface Subject extends LargeDatabase {
  readonly own: Own
}

/** Of one round: times in milliseconds, or one rate. */
type Work = (subject: Subject) => Promise<readonly number[]>

async function timeEach(count: number, call: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  await ratePerSecond(count, CALLERS, async () => {
    const startedAt = performance.now()
    await call()
    times.push(performance.now() - startedAt)
  })
  return times
}

const timeOnce = (call: () => Promise<unknown>): Promise<readonly number[]> => timeEach(1, call)

/** One of the copies from `from` to `to`. */
function pick(from: number, to: number): number {
  return from + Math.floor(Math.random() * (to - from))
}

async function get({ own, toId }: Subject, number: number): Promise<void> {
  const head = await own.storage.readTask(toId(number))
  if (head?.task.id !== toId(number)) throw new Error(`copy ${number} is missing`)
}

function lastMonth(): { readonly from: number; readonly to: number } {
  const now = Date.now()
  return { from: now - MONTH_MS, to: now }
}

const listSome =
  (filter: { readonly status?: "failed"; readonly model?: string }): Work =>
  ({ own, size }) =>
    timeEach(FEW_READS, () =>
      own.storage.listTasks({ account: toAccount(pick(0, size)), limit: 20, ...filter }),
    )

/** What is named `_p99_ms` is told as `_p50_ms` too; anything else is the median. */
const READING: Readonly<Record<string, Work>> = {
  get_p99_ms: (of) => timeEach(READS, () => get(of, pick(of.firstKept, of.size))),
  get_recent_p99_ms: (of) => timeEach(READS, () => get(of, pick(of.size - RECENT, of.size))),
  get_archived_p99_ms: (of) => timeEach(READS, () => get(of, pick(0, of.firstKept))),
  list_p99_ms: ({ own, size }) =>
    timeEach(READS, () => own.storage.listTasks({ account: toAccount(pick(0, size)), limit: 20 })),
  list_failed_p99_ms: listSome({ status: "failed" }),
  list_model_p99_ms: listSome({ model: "none" }),
  list_all_ms: ({ own }) =>
    timeOnce(() => own.storage.listAllTasks({ status: "failed", limit: 20 })),
  usage_p99_ms: ({ own, size }) =>
    timeEach(FEW_READS, () =>
      own.engine.sumUsage({ account: toAccount(pick(0, size) | 1), ...lastMonth() }),
    ),
  usage_big_ms: ({ own }) =>
    timeOnce(() => own.engine.sumUsage({ account: "big", ...lastMonth() })),
  days_ms: ({ own }) =>
    timeOnce(() => own.storage.groupOutcomes({ by: "day", limit: 100, ...lastMonth() })),
  days_of_account_ms: ({ own }) =>
    timeOnce(() =>
      own.storage.groupOutcomes({ by: "day", account: "account-1", limit: 100, ...lastMonth() }),
    ),
  accounts_ms: ({ own }) =>
    timeOnce(() => own.storage.groupOutcomes({ by: "account", limit: 100, ...lastMonth() })),
  channel_day_ms: ({ own }) =>
    timeOnce(() => own.storage.listChannelHours({ from: Date.now() - DAY_MS, to: 2 ** 53 - 1 })),
  channel_hours_ms: ({ own }) => timeOnce(() => own.storage.listChannelHours(lastMonth())),
  sweep_ms: ({ own }) => timeOnce(() => own.engine.sweep()),
  measure_queue_ms: ({ own }) => timeOnce(() => own.storage.measureQueue()),
  sum_hours_ms: ({ own }) =>
    timeOnce(() => own.storage.sumHours({ endedBefore: Date.now(), limit: 1 })),
  forget_keys_ms: ({ own }) =>
    timeOnce(() => own.storage.forgetIdempotency({ usedBefore: 1, limit: 100 })),
  export_per_s: exportSome,
}

const WRITING: Readonly<Record<string, Work>> = {
  submit_per_s: async ({ own }) => [await ratePerSecond(SUBMISSIONS, MANY_CALLERS, own.submit)],
  claim_ms: ({ own: { storage } }) =>
    timeEach(CLAIMS, () =>
      storage.take({ lease: "large", models: [SAMPLE_REQUEST.model], now: Date.now(), limit: 10 }),
    ),
  vacuum_ms: ({ database }) => timeOnce(() => database.query("vacuum analyze")),
}

/** Tasks a second that are not archived, read as an export reads them. */
async function exportSome({ firstKept, own, toId }: Subject): Promise<readonly number[]> {
  let after = toId(firstKept)
  let tasks = 0
  const startedAt = performance.now()
  while (tasks < READS) {
    const page = await own.storage.scan({ after, limit: 100 })
    tasks += page.streams.length
    if (page.next === null) break
    after = page.next
  }
  return [(tasks / (performance.now() - startedAt)) * 1_000]
}

/** By engines of their own: one that was stopped takes nothing more. */
async function measureLives(subjects: readonly Subject[]): Promise<Found> {
  await using stack = new AsyncDisposableStack()
  const living: Subject[] = []
  for (const subject of subjects) {
    const own = stack.use(await openOwn(subject.database.url))
    own.engine.start()
    living.push({ ...subject, own })
  }
  const work: Work = async ({ own }) => [await ratePerSecond(LIVES, MANY_CALLERS, own.live)]
  return await measure(living, { lives_per_s: work })
}

/** By figure and then in the order of the databases. */
type Found = Record<string, readonly number[]>

/** Each round in the order of the databases or in the other: no size always comes behind the same one. */
async function takeRounds(subjects: readonly Subject[], work: Work): Promise<readonly Rounds[]> {
  const rounds = subjects.map((subject) => ({ subject, taken: [] as (readonly number[])[] }))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { subject, taken } of round % 2 === 0 ? rounds : rounds.toReversed()) {
      const samples = await work(subject)
      if (round > 0) taken.push(samples)
    }
  }
  return rounds.map(({ taken }) => taken)
}

/** The samples of each round. */
type Rounds = readonly (readonly number[])[]

/** The median of rounds: one that something else disturbed does not count. */
function toFigure(rounds: Rounds, share: number): number {
  return median(rounds.map((samples) => percentile(samples, share)))
}

async function measure(
  subjects: readonly Subject[],
  works: Readonly<Record<string, Work>>,
): Promise<Found> {
  const found: Found = {}
  for (const [name, work] of Object.entries(works)) {
    const ofSubjects = await takeRounds(subjects, work)
    const add = (figure: string, share: number): void => {
      found[figure] = ofSubjects.map((rounds) => toFigure(rounds, share))
      note(`${figure}: ${found[figure].map((value) => value.toPrecision(3)).join(", ")}`)
    }
    if (name.endsWith("_p99_ms")) add(name, 0.99)
    add(name.replace("_p99_ms", "_p50_ms"), 0.5)
  }
  return found
}

function toLabel(size: number): string {
  return size < 1_000_000 ? `${size / 1_000}k` : `${size / 1_000_000}m`
}

function toFigures(found: Found): Record<string, number> {
  const figures: Record<string, number> = {}
  for (const [name, ofSizes] of Object.entries(found)) {
    for (const [index, size] of SIZES.entries())
      figures[`${name}_${toLabel(size)}`] = ofSizes[index] ?? Number.NaN
    const ratio = `${name.replace(/_(?:ms|per_s)$/, "")}_ratio_${toLabel(SIZES.at(-1) ?? 0)}`
    figures[ratio] = (ofSizes.at(-1) ?? Number.NaN) / (ofSizes[0] ?? Number.NaN)
  }
  return figures
}

/** Of the last month, as sweeps do. */
async function keepSums({ own: { storage }, size }: Subject): Promise<void> {
  const hours = values.quick ? 24 : MONTH_MS / HOUR_MS
  const startedAt = performance.now()
  const count = await storage.sumHours({ endedBefore: Date.now(), limit: hours })
  const tookMs = (performance.now() - startedAt) / count
  note(`${size} tasks: ${count} hours summed, ${tookMs.toFixed(1)} ms each`)
}

/** Once storages of this schema are closed: what they prepared needs it. */
async function measureMigrations(): Promise<Found> {
  const [migrations, writes]: number[][] = [[], []]
  for (const { database, own } of subjects) {
    await own[Symbol.asyncDispose]()
    const [tookMs, longestMs] = await measureMigration(database)
    migrations?.push(tookMs)
    writes?.push(longestMs)
  }
  return { migration_ms: migrations ?? [], migration_longest_write_ms: writes ?? [] }
}

await using stack = new AsyncDisposableStack()
stack.use(await openLargeServer())
const subjects: Subject[] = []
for (const size of SIZES) {
  note(`${size} tasks…`)
  const large = stack.use(await createLargeDatabase(size, TEMPLATES))
  const own = stack.use(await openOwn(large.database.url))
  own.storage.useArchive(large.reader)
  subjects.push({ ...large, own })
}
for (const subject of subjects) await keepSums(subject)
const found = {
  ...(await measure(subjects, READING)),
  ...(await measureLives(subjects)),
  ...(await measure(subjects, WRITING)),
  ...(await measureMigrations()),
}
reportFigures(toFigures(found))
