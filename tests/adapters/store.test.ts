/** The store's statements: what they may hold, what they bind, and that SQLite has an index for each. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, before, describe, it } from "node:test"
import { NO_LIMITS, toArtifactRows } from "@safelight/core"
import { createSqliteStorage, SQLITE_DIALECT } from "@safelight/storage-sqlite"
import {
  bind,
  compileStatements,
  fromAccountRecord,
  fromArtifactRecord,
  fromChargeRecord,
  fromEventRecord,
  fromInputRecord,
  fromOutcomeRecord,
  fromKeyRecord,
  fromTaskRecord,
  fromTotalsRecord,
  toArtifactRecord,
  toChargeRecord,
  toEventRecord,
  toIdempotencyRecord,
  toInputRecord,
  toOutcomeRecord,
  toKeyRecord,
  toSettingsRecord,
  toTaskRecord,
  toTotalsRecord,
  type AccountsTable,
  type AccountTotalsTable,
  type ArtifactsTable,
  type ChargesTable,
  type TakeShape,
  type EventsTable,
  type KeysTable,
  type ListStatements,
  type OutcomesTable,
  type QueueStatements,
  type Statement,
  type TasksTable,
} from "@safelight/store"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "@safelight/testkit"
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts"

const submitted = submitSample({ id: "t" })
const { head, append } = advanceSample(submitted.head, [dispatchSample(), succeedSample()])
const [artifact] = toArtifactRows(head.task)
const [event] = append.events
const { charge, totals } = append.changes
const [outcome] = append.changes.outcomes
assert.ok(artifact && event && charge && totals && outcome)
const input = { task: "t", name: "request", salt: "5a", body: "{}" }
const key = {
  id: "k",
  account: "a",
  secretSha256: "ab",
  scopes: ["tasks:read"],
  createdAt: 1,
  revokedAt: 2,
  expiresAt: 3,
} as const

const account = {
  ...NO_LIMITS,
  id: "a",
  createdAt: 1,
  budgetMicros: 2,
  rates: { ...NO_LIMITS.rates, read: { requests: 3, windowMs: 4 } },
  retentionMs: 5,
  signsContentUrls: true,
  suspendedAt: 6,
  unfinishedTasks: 7,
  runningTasks: 8,
  weight: 9,
}

const USE = { key: "k", fingerprint: "ab", usedAt: 1 }

const SORT = /USE TEMP B-TREE/
const TABLES = [
  "account_totals",
  "accounts",
  "artifacts",
  "charges",
  "claims",
  "events",
  "idempotency",
  "inputs",
  "keys",
  "link_epochs",
  "rates",
  "ready",
  "retention",
  "slots",
  "tasks",
]
const TABLE_SCAN = new RegExp(`^SCAN (${TABLES.join("|")})\\b`)

describe("a row", () => {
  it("comes back from its record as it was", () => {
    const { task } = append.changes
    assert.deepEqual(fromTaskRecord(toTaskRecord(task) as TasksTable), task)
    assert.deepEqual(fromArtifactRecord(toArtifactRecord(artifact) as ArtifactsTable), artifact)
    assert.deepEqual(fromEventRecord(toEventRecord(event) as EventsTable), event)
    assert.deepEqual(fromInputRecord(toInputRecord(input)), input)
    assert.deepEqual(fromKeyRecord(toKeyRecord(key) as KeysTable), key)
    assert.deepEqual(fromChargeRecord(toChargeRecord(charge) as ChargesTable), charge)
    assert.deepEqual(fromOutcomeRecord(toOutcomeRecord(outcome) as OutcomesTable), outcome)
    const totalsRecord = toTotalsRecord("a", totals) as AccountTotalsTable
    assert.deepEqual(fromTotalsRecord(totalsRecord), totals)
  })

  it("says of an artifact whether its expiry is hidden", () => {
    const hidden = { ...artifact, expiryHidden: true }
    assert.deepEqual(fromArtifactRecord(toArtifactRecord(hidden) as ArtifactsTable), hidden)
  })

  it("has the settings that are given, null among them, and no others", () => {
    const settings = toSettingsRecord(account)
    const record = { id: "a", created_at: 1, link_epoch: 8, ...settings } as AccountsTable
    assert.deepEqual(fromAccountRecord(record), account)
    assert.deepEqual(toSettingsRecord({}), {})
    assert.deepEqual(toSettingsRecord({ budgetMicros: null, signsContentUrls: false }), {
      budget_micros: null,
      signs_content_urls: 0,
    })
  })
})

describe("a statement", () => {
  it("binds values in the order of its parameters, one for each place", () => {
    const statement = { sql: "select ?, ?, ?", parameters: ["b", "a", "b"] }
    assert.deepEqual(bind(statement, { a: 1, b: null, c: "unused" }), [null, 1, null])
  })

  it("is not run with a value missing", () => {
    const statement = { sql: "select ?", parameters: ["a"] }
    assert.throws(() => bind(statement, { b: 1 }), /no value for a in: select \?/)
  })
})

describe("a taking", () => {
  const queue = compileStatements({ ...SQLITE_DIALECT, canSkipLocked: true }).queue

  it("locks the rows it chooses, and passes over locked ones, wherever it chooses", () => {
    for (const [name, { sql }] of Object.entries(toTakePlans(queue))) {
      const choices = sql.match(/from "ready" where/gu)?.length ?? 0
      const locking = sql.match(/limit \? for update skip locked\)/gu)?.length ?? 0
      assert.ok(choices >= 1, name)
      assert.equal(locking, choices, name)
    }
  })

  it("is compiled once for each of its shapes", () => {
    const shapes = toTakeShapes().map((shape) => queue.take(shape))
    assert.equal(new Set(shapes.map(({ sql }) => sql)).size, shapes.length)
    for (const [index, shape] of toTakeShapes().entries()) {
      assert.equal(queue.take(shape), shapes[index])
    }
  })
})

describe("the database", () => {
  let folder: TemporaryFolder
  let database: DatabaseSync

  before(async () => {
    folder = await createTemporaryFolder()
    await (await createSqliteStorage({ folder: folder.path })).close()
    database = new DatabaseSync(join(folder.path, "safelight.db"))
  })
  after(async () => {
    database.close()
    await folder[Symbol.asyncDispose]()
  })

  it("walks no whole table for what is asked often", () => {
    const {
      accounts,
      admission,
      append: appends,
      keys,
      leases,
      links,
      list,
      queue,
      rates,
      read,
      totals: t,
    } = compileStatements(SQLITE_DIALECT)
    const plans = {
      ...admission,
      ...appends,
      ...read,
      ...rates,
      findAccount: accounts.findAccount,
      sumCharges: accounts.sumCharges,
      findKey: keys.findKey,
      findEpoch: links.findEpoch,
      findTotals: t.find,
      ...toListPlans(list),
      ...toTakePlans(queue),
      peek: queue.peek(3),
      release: queue.release,
      releaseAnew: queue.releaseAnew,
      runningLimits: queue.runningLimits,
      beat: leases.beat,
      findHeld: leases.findHeld,
      expire: leases.expire,
      freeTasks: leases.freeTasks,
      forget: leases.forget,
    }
    for (const [name, { sql }] of Object.entries(plans)) {
      const steps = database.prepare(`explain query plan ${sql}`).all()
      const scans = steps.filter(({ detail }) => TABLE_SCAN.test(String(detail)))
      assert.deepEqual(scans, [], name)
    }
  })

  it("takes each kind of place along its own index", () => {
    const plans = toTakePlans(compileStatements(SQLITE_DIALECT).queue)
    for (const [name, { sql }] of Object.entries(plans)) {
      const details = database
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
      const found = details.filter((detail) => detail.includes("ready USING"))
      const fresh = name.includes("dueOnly") ? [] : ["ready_new (model"]
      const expected = ["ready_due (model", ...fresh, "PRIMARY KEY (task"]
      const used = found.map(
        (detail) => /(?:INDEX )?((?:PRIMARY KEY|ready_\w+) \(\w+)/u.exec(detail)?.[1],
      )
      assert.deepEqual(new Set(used), new Set(expected), name)
      // Only what was chosen is put in order, a few rows from each of them.
      const sorts = name.includes("countsPermits") ? 2 : 1
      assert.equal(details.filter((detail) => SORT.test(detail)).length, sorts, name)
    }
  })

  it("lists tasks in the order of an index, both of its bounds used", () => {
    const plans = toListPlans(compileStatements(SQLITE_DIALECT).list)
    for (const [name, { sql }] of Object.entries(plans)) {
      const details = database
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => detail)
      assert.match(
        String(details),
        /tasks_listed \(account=\? AND .*>\(\?,\?\) AND .*<\(\?,\?\)\)/,
        name,
      )
      assert.doesNotMatch(String(details), SORT, name)
    }
  })

  it("begins with the queue where it counts what is unfinished, and walks it once", () => {
    const { sql } = compileStatements(SQLITE_DIALECT).totals.count
    const details = database
      .prepare(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    assert.match(details.find((detail) => detail.includes("tasks")) ?? "", /^SEARCH tasks .*\(id=/)
    assert.equal(details.filter((detail) => detail.startsWith("SCAN ready")).length, 1)
  })

  it("looks at the tasks that were begun, or at the attempts of a period, where it asks for their channels", () => {
    const { countInFlight, sumOutcomes } = compileStatements(SQLITE_DIALECT).channels
    const explain = ({ sql }: Statement): string =>
      String(
        database
          .prepare(`explain query plan ${sql}`)
          .all()
          .map(({ detail }) => detail),
      )
    const inFlight = explain(countInFlight)
    assert.match(inFlight, /ready USING (COVERING )?INDEX ready_held/)
    assert.match(inFlight, /ready USING (COVERING )?INDEX ready_due/)
    assert.match(inFlight, /SEARCH tasks USING INDEX \S+ \(id=\?\)/)
    const outcomes = explain(sumOutcomes)
    assert.match(outcomes, /SEARCH outcomes USING INDEX outcomes_ended \(at>\? AND at<\?\)/)
  })

  it("changes nothing of what tasks are listed by when a task advances", () => {
    const { sql } = compileStatements(SQLITE_DIALECT).append.updateTask
    const [set = ""] = sql.split(" where ")
    for (const column of ["account", "created_at", "id", "reservation_micros"])
      assert.ok(!set.includes(`"${column}"`), set)
  })

  it("has a column for each member of a record, and no other", () => {
    const records = {
      account_totals: toTotalsRecord("a", totals),
      accounts: { id: "a", created_at: 1, link_epoch: 0, ...toSettingsRecord(account) },
      artifacts: toArtifactRecord(artifact),
      charges: toChargeRecord(charge),
      events: toEventRecord(event),
      idempotency: toIdempotencyRecord(append.changes.task, USE),
      inputs: toInputRecord(input),
      keys: toKeyRecord(key),
      outcomes: toOutcomeRecord(outcome),
      tasks: toTaskRecord(append.changes.task),
    }
    for (const [table, record] of Object.entries(records)) {
      const columns = database.prepare("select name from pragma_table_info(?)").all(table)
      assert.deepEqual(
        columns.map(({ name }) => String(name)).toSorted(),
        Object.keys(record).toSorted(),
        table,
      )
    }
  })
})

function toTakeShapes(): TakeShape[] {
  return [1, 3].flatMap((modelCount) => [
    { modelCount, exceptsAccounts: false, countsPermits: false, dueOnly: false },
    { modelCount, exceptsAccounts: true, countsPermits: false, dueOnly: false },
    { modelCount, exceptsAccounts: true, countsPermits: true, dueOnly: false },
    { modelCount, exceptsAccounts: false, countsPermits: false, dueOnly: true },
  ])
}

/** By the shape's name; no two shapes have one. */
function toTakePlans(queue: QueueStatements): Record<string, Statement> {
  return Object.fromEntries(
    toTakeShapes().map((shape) => [
      `take of ${Object.entries(shape)
        .flatMap(([name, value]) => (value === false ? [] : [name, value]))
        .join(" ")}`,
      queue.take(shape),
    ]),
  )
}

function toListPlans({ findListFloor, findTasks }: ListStatements): Record<string, Statement> {
  return {
    findListFloor,
    listed: findTasks({ hasStatus: false, hasModel: false }),
    listedByStatus: findTasks({ hasStatus: true, hasModel: false }),
    listedByModel: findTasks({ hasStatus: false, hasModel: true }),
    listedByBoth: findTasks({ hasStatus: true, hasModel: true }),
  }
}
