/** The store's statements: what they may hold, what they bind, and that SQLite has an index for each. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, before, describe, it } from "node:test"
import { toArtifactRows } from "@safelight/core"
import { createSqliteStorage, SQLITE_DIALECT } from "@safelight/storage-sqlite"
import {
  bind,
  compileStatements,
  fromArtifactRecord,
  fromEventRecord,
  fromInputRecord,
  fromKeyRecord,
  fromTaskRecord,
  toArtifactRecord,
  toEventRecord,
  toInputRecord,
  toKeyRecord,
  toTaskRecord,
  type ArtifactsTable,
  type EventsTable,
  type KeysTable,
  type ListStatements,
  type Statement,
  type TasksTable,
} from "@safelight/store"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "@safelight/testkit"
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts"

const submitted = submitSample({ id: "t" })
const { head, append } = advanceSample(submitted.head, [dispatchSample(), succeedSample()])
const [artifact] = toArtifactRows(head.task)
const [event] = append.events
assert.ok(artifact && event)
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

const SORT = /USE TEMP B-TREE/
const TABLE_SCAN = /^SCAN (tasks|events|artifacts|inputs|ready|retention|accounts|keys)\b/

describe("a row", () => {
  it("comes back from its record as it was", () => {
    const { task } = append.changes
    assert.deepEqual(fromTaskRecord(toTaskRecord(task) as TasksTable), task)
    assert.deepEqual(fromArtifactRecord(toArtifactRecord(artifact) as ArtifactsTable), artifact)
    assert.deepEqual(fromEventRecord(toEventRecord(event) as EventsTable), event)
    assert.deepEqual(fromInputRecord(toInputRecord(input)), input)
    assert.deepEqual(fromKeyRecord(toKeyRecord(key) as KeysTable), key)
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
    const { append: appends, list, queue, read } = compileStatements(SQLITE_DIALECT)
    const plans = {
      ...appends,
      ...read,
      ...toListPlans(list),
      claim: queue.claim(3),
      nextDueAt: queue.findNextDueAt(3),
      renew: queue.renew,
      release: queue.release,
    }
    for (const [name, { sql }] of Object.entries(plans)) {
      const steps = database.prepare(`explain query plan ${sql}`).all()
      const scans = steps.filter(({ detail }) => TABLE_SCAN.test(String(detail)))
      assert.deepEqual(scans, [], name)
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

  it("changes nothing of what tasks are listed by when a task advances", () => {
    const { sql } = compileStatements(SQLITE_DIALECT).append.updateTask
    const [set = ""] = sql.split(" where ")
    for (const column of ["account", "created_at", "id"])
      assert.ok(!set.includes(`"${column}"`), set)
  })

  it("has a column for each member of a record, and no other", () => {
    const records = {
      artifacts: toArtifactRecord(artifact),
      events: toEventRecord(event),
      inputs: toInputRecord(input),
      keys: toKeyRecord(key),
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

function toListPlans({ findListFloor, findTasks }: ListStatements): Record<string, Statement> {
  return {
    findListFloor,
    listed: findTasks({ hasStatus: false, hasModel: false }),
    listedByStatus: findTasks({ hasStatus: true, hasModel: false }),
    listedByModel: findTasks({ hasStatus: false, hasModel: true }),
    listedByBoth: findTasks({ hasStatus: true, hasModel: true }),
  }
}
