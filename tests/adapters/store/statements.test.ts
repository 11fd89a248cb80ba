/** The store's statements: what they may hold, what they bind, and that SQLite has an index for each. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, before, describe, it } from "node:test"
import type { Input } from "@safelight/core"
import { createSqliteStorage, SQLITE_DIALECT } from "@safelight/storage-sqlite"
import {
  bind,
  createCompiler,
  STATEMENTS,
  TABLES,
  toRows,
  toSqlName,
  type Column,
  type Statement,
  type TakeShape,
} from "@safelight/store"
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts"

const COMPILER = createCompiler(SQLITE_DIALECT)
const {
  accounts,
  admission,
  append,
  channels,
  keys,
  leases,
  links,
  list,
  operatorChanges,
  queue,
  rates,
  read,
  scan,
  totals,
  tree,
} = STATEMENTS(COMPILER)

type QueueStatements = typeof queue
type ListStatements = typeof list

const SORT = /USE TEMP B-TREE/
const TABLE_SCAN = new RegExp(`^SCAN (${Object.keys(TABLES).map(toSqlName).join("|")})\\b`)

describe("a statement", () => {
  const { db, compile, members } = COMPILER

  it("binds values in the order of its parameters, one for each placeholder", () => {
    const statement = compile(({ task, name }: { task: string; name: string }) =>
      db
        .selectFrom("inputs")
        .select("body")
        .where("name", "=", name)
        .where("task", "=", task)
        .where("salt", "=", name),
    )
    assert.deepEqual(bind(statement, { task: "t", name: "n" }), ["n", "t", "n"])
  })

  it("binds what its columns hold: truth as a number, an object as JSON, a list as one value", () => {
    const { rates: rate } = { rates: { create: null, read: null, content: null } }
    const set = compile((row: { signsContentUrls: boolean; rates: typeof rate; ids: string[] }) =>
      db
        .updateTable("accounts")
        .set({ signsContentUrls: row.signsContentUrls, rates: row.rates })
        .where("id", "in", members(row.ids)),
    )
    const values = bind(set, { signsContentUrls: true, rates: rate, ids: ["a", "b"] })
    assert.deepEqual(values, [1, JSON.stringify(rate), '["a","b"]'])
  })

  it("gives rows in core's words, by the position of each column", () => {
    const find = compile(({ id }: { id: string }) =>
      db
        .selectFrom("accounts")
        .select(["createdAt", "signsContentUrls", "rates"])
        .select((of) => of.ref("weight").as("share"))
        .where("id", "=", id),
    )
    assert.deepEqual(toRows(find, [[1, 0, '{"create":null}', 2]]), [
      { createdAt: 1, signsContentUrls: false, rates: { create: null }, share: 2 },
    ])
  })

  it("is not run with a value missing, and no type lets it", () => {
    const input = { task: "t", name: "request", salt: "5a" }
    // @ts-expect-error -- the body is missing
    assert.throws(() => bind(append.insertInput, input), /no value for body in: insert into/)
  })

  it("takes no value that no column holds, as its type says", () => {
    const input: Input = { task: "t", name: "request", salt: "5a", body: "{}" }
    const values = Object.values(input)
    // @ts-expect-error -- no such column
    assert.deepEqual(bind(append.insertInput, { ...input, mime: "text/plain" }), values)
  })

  it("names a column that is there, and gives no other, as its types say", () => {
    // @ts-expect-error -- no such column
    compile(() => db.selectFrom("inputs").select("mime"))
    const [row] = toRows(read.findEvents, [])
    // @ts-expect-error -- no such member
    assert.equal(row?.mime, undefined)
  })

  it("holds no value that was known when it was compiled", () => {
    assert.throws(
      () => compile(() => db.selectFrom("inputs").select("body").where("task", "=", "t")),
      /take it from the placeholders/,
    )
  })

  it("names each column that it selects", () => {
    assert.throws(() => compile(() => db.selectFrom("inputs").selectAll()), /name each of them/)
  })
})

describe("a taking", () => {
  it("locks the rows it chooses, and passes over locked ones, wherever it chooses", () => {
    const locking = STATEMENTS(createCompiler({ ...SQLITE_DIALECT, canSkipLocked: true }))
    for (const [name, { sql }] of Object.entries(toTakePlans(locking.queue))) {
      const choices = sql.match(/from "ready" where/gu)?.length ?? 0
      const locked = sql.match(/limit \? for update skip locked\)/gu)?.length ?? 0
      assert.ok(choices >= 1, name)
      assert.equal(locked, choices, name)
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
    const plans: Record<string, Statement> = {
      ...admission,
      ...append,
      ...read,
      ...scan,
      ...rates,
      findAccounts: accounts.findAccounts,
      listCharges: accounts.listCharges,
      sumCharges: accounts.sumCharges,
      sumLabelledCharges: accounts.sumLabelledCharges,
      findKey: keys.findKey,
      findEpoch: links.findEpoch,
      listChanges: operatorChanges.listChanges,
      findTotals: totals.find,
      listAround: tree.listAround,
      listEntries: tree.listEntries,
      findTile: tree.findTile,
      listVersions: tree.listVersions,
      noteTasks: tree.noteTasks,
      dropNotes: tree.dropNotes,
      findCheckpoint: tree.findCheckpoint,
      ...toListPlans(list),
      ...toTakePlans(queue),
      peek: queue.peek(3),
      findOverdue: queue.findOverdue,
      findRetained: queue.findRetained,
      release: queue.release,
      releaseAnew: queue.releaseAnew,
      runningLimits: queue.runningLimits,
      renew: leases.renew,
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

  it("takes each kind of row along its own index", () => {
    const plans = toTakePlans(queue)
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

  it("lists tasks in the order of an index, both of its ends used", () => {
    const plans = toListPlans(list)
    for (const [name, { sql }] of Object.entries(plans)) {
      const details = database
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => detail)
      const index = name.toLowerCase().includes("labelled")
        ? /^SEARCH labels USING PRIMARY KEY \(account=\? AND label=\? AND .*>\(\?,\?\) AND .*<\(\?,\?\)\)/
        : /tasks_listed \(account=\? AND .*>\(\?,\?\) AND .*<\(\?,\?\)\)/
      assert.match(String(details), index, name)
      assert.doesNotMatch(String(details), SORT, name)
    }
  })

  it("lists charges in the order of an index, and sorts those of one moment alone", () => {
    const details = database
      .prepare(`explain query plan ${accounts.listCharges.sql}`)
      .all()
      .map(({ detail }) => String(detail))
    assert.match(String(details), /charges_billed \(account=\? AND at>\? AND at<\?\)/)
    assert.deepEqual(
      details.filter((detail) => SORT.test(detail)),
      ["USE TEMP B-TREE FOR LAST TERM OF ORDER BY"],
    )
  })

  it("begins with the queue where it counts what is unfinished, and walks it once", () => {
    const { sql } = totals.count
    const details = database
      .prepare(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    assert.match(
      details.find((detail) => detail.includes("tasks")) ?? "",
      /^SEARCH tasks .*\(task=/,
    )
    assert.equal(details.filter((detail) => detail.startsWith("SCAN ready")).length, 1)
  })

  it("looks at the tasks that were begun, or at the attempts of a period, where it asks for their channels", () => {
    const { countInFlight, sumOutcomes } = channels
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
    assert.match(inFlight, /SEARCH tasks USING INDEX \S+ \(task=\?\)/)
    const outcomes = explain(sumOutcomes)
    assert.match(outcomes, /SEARCH outcomes USING INDEX outcomes_ended \(at>\? AND at<\?\)/)
  })

  it("changes nothing of what tasks are listed by when a task advances", () => {
    const { sql } = append.updateTask
    const [set = ""] = sql.split(" where ")
    for (const column of ["account", "created_at", "task", "reservation_micros"])
      assert.ok(!set.includes(`"${column}"`), set)
  })

  it("has the tables that are described, and the columns of each with their types", () => {
    const found = database
      .prepare("select name from sqlite_master where type = 'table' and name <> 'compatibility'")
      .all()
      .map(({ name }) => String(name))
    assert.deepEqual(found.toSorted(), Object.keys(TABLES).map(toSqlName).toSorted())
    for (const [table, { columns }] of Object.entries(TABLES)) {
      const described = Object.entries<Column<never>>(columns as never)
        .map(
          ([member, { type, isNullable }]) =>
            [
              toSqlName(member),
              type === "compact" ? SQLITE_DIALECT.compactType : type,
              isNullable,
            ] as const,
        )
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
      const there = database
        .prepare(
          `select name, lower(type) as type, "notnull" from pragma_table_info(?) order by name`,
        )
        .all(toSqlName(table))
        .map(({ name, type, notnull }) => [name, type, notnull === 0])
      assert.deepEqual(there, described, table)
    }
  })
})

const EVERYTHING = {
  exceptsAccounts: false,
  countsPermits: false,
  takesTurns: false,
  dueOnly: false,
}

function toTakeShapes(): TakeShape[] {
  return [1, 3].flatMap((modelCount) => [
    { ...EVERYTHING, modelCount },
    { ...EVERYTHING, modelCount, exceptsAccounts: true },
    { ...EVERYTHING, modelCount, exceptsAccounts: true, countsPermits: true },
    { ...EVERYTHING, modelCount, exceptsAccounts: true, countsPermits: true, takesTurns: true },
    { ...EVERYTHING, modelCount, dueOnly: true },
  ])
}

/** By the shape's name; no two shapes have one. */
function toTakePlans({ take }: QueueStatements): Record<string, Statement> {
  return Object.fromEntries(
    toTakeShapes().map((shape) => [
      `take of ${Object.entries(shape)
        .flatMap(([name, value]) => (value === false ? [] : [name, value]))
        .join(" ")}`,
      take(shape),
    ]),
  )
}

function toListPlans({ findListFloor, ...found }: ListStatements): Record<string, Statement> {
  return {
    findListFloor,
    ...found,
  }
}
