/** `audit replay --until`: the log as it stood at a moment, in words, as JSON and as an SQLite file. */
import assert from "node:assert/strict"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, test, type TestContext } from "node:test"
import { setImmediate } from "node:timers/promises"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import {
  BIN,
  runCommand,
  startCommand,
  temporaryFolder,
  type CommandEnd,
} from "./command-process.ts"
import {
  EDIT,
  NOVEMBER,
  PRICE,
  PRICE_VERSION,
  recordPastTask,
  recordPastDatabase,
  recordPastFolder,
  toId,
} from "./past-tasks.ts"

const GUIDE = join(import.meta.dirname, "../../../packages/audit/docs/auditing.md")

interface Report {
  readonly outcome: string
  readonly tasks: number
  readonly events: number
  readonly untilAt: number
  readonly untoldTasks: number
  readonly findings: readonly { readonly kind: string }[]
  readonly chargeMicros: { readonly total: number; readonly byAccount: Record<string, number> }
  readonly bills: readonly {
    readonly account: string
    readonly month: string
    readonly tasks: number
    readonly chargeMicros: number
  }[]
  readonly tasksByState: Record<string, number>
  readonly file?: string | null
}

const replay = (folder: string, ...words: readonly string[]): Promise<CommandEnd> =>
  runCommand(["audit", "replay", ...words], { folder })

function query(file: string, sql: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}

function alter(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "data", "safelight.db"))
  database.exec(`drop trigger events_refuse_update; ${sql}`)
  database.close()
}

describe("replay until a moment", () => {
  test("tells tasks by state and the bill by account and month, as they stood then", async (t) => {
    const folder = await recordPastFolder(t)
    const { code, stderr, stdout } = await replay(folder, "--until", "2025-11-01")
    assert.equal(
      stdout,
      `as it stood at 2025-11-01T00:00:00.000Z

STATE                TASKS
dispatching              2
failed                   1
succeeded.available      2

ACCOUNT  MONTH    TASKS  MICRO-UNITS     UNITS
ann      2025-10      1        40000  0.040000
ann      2025-11      1        20000  0.020000
ben      2025-10      1        20000  0.020000

5 tasks, 13 events, charged 80000 micro-units (0.080000)
every chain is whole up to then, and makes its charges
`,
    )
    assert.deepEqual([code, stderr], [0, ""])
  })

  test("takes a moment as other commands do, and what happened at it has happened", async (t) => {
    const folder = await recordPastFolder(t)
    const tell = async (moment: string): Promise<Report> => {
      const { code, stdout } = await replay(folder, "--until", moment, "--json")
      assert.equal(code, 0)
      return JSON.parse(stdout) as Report
    }
    const second = NOVEMBER / 1_000
    for (const moment of ["2025-11", "2025-11-01T01:00+01:00", String(second)]) {
      const { chargeMicros, events, file, tasks, untilAt } = await tell(moment)
      assert.deepEqual(
        [untilAt, tasks, events, chargeMicros.total, file],
        [NOVEMBER, 5, 13, 80_000, undefined],
      )
    }
    const before = await tell("2025-10-31T23:59:59")
    assert.deepEqual([before.tasks, before.chargeMicros.total], [3, 20_000])
    const all = await tell(String(second + 1))
    assert.deepEqual([all.tasks, all.chargeMicros.total], [5, 140_000])
    const none = await tell("2025-01-01T00:00:00Z")
    assert.deepEqual([none.tasks, none.bills, none.outcome], [0, [], "whole"])
  })

  test("writes an SQLite file for its owner alone, whose sums are the report's", async (t) => {
    const folder = await recordPastFolder(t)
    const words = ["--until", "2025-11-01", "--out", "state.db"]
    const { code, stderr, stdout } = await replay(folder, ...words, "--json")
    assert.deepEqual([code, stderr], [0, ""])
    const report = JSON.parse(stdout) as Report
    const file = join(folder, "state.db")
    assert.equal(report.file, file)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.deepEqual((await readdir(folder)).toSorted(), ["data", "state.db"])

    assert.deepEqual(query(file, "pragma integrity_check"), [{ integrity_check: "ok" }])
    assert.deepEqual(
      query(file, "select state, count(*) as n from tasks group by state order by state"),
      Object.entries(report.tasksByState)
        .map(([state, n]) => ({ state, n }))
        .toSorted((one, other) => (one.state < other.state ? -1 : 1)),
    )
    assert.deepEqual(
      query(file, "select * from monthly_bills order by account, month"),
      report.bills.map(({ account, chargeMicros, month, tasks }) => {
        return { account, month, tasks, charge_micros: chargeMicros }
      }),
    )
    for (const table of ["tasks", "charges", "monthly_bills"]) {
      const sum = query(file, `select sum(charge_micros) as total from ${table}`)
      assert.deepEqual(sum, [{ total: report.chargeMicros.total }], table)
    }
    assert.deepEqual(query(file, "select * from about"), [
      {
        until_at_ms: NOVEMBER,
        until_size: null,
        tasks: report.tasks,
        events: report.events,
        charge_micros: report.chargeMicros.total,
        outcome: "whole",
      },
    ])
    assert.deepEqual(query(file, "select sum(version) as events from tasks"), [
      { events: report.events },
    ])
  })

  test("writes each task, artifact, charge and outcome with what proves it", async (t) => {
    const folder = await recordPastFolder(t)
    await replay(folder, "--until", "2025-11-01", "--out", "state.db")
    const file = join(folder, "state.db")
    const [task] = query(file, `select * from tasks where task = '${toId(0)}'`)
    const live = query(
      join(folder, "data", "safelight.db"),
      "select * from events order by version",
    )
    const hashOf = (version: number): unknown =>
      live.find((row) => row["task"] === task?.["task"] && row["version"] === version)?.["hash"]
    const { hash, ...facts } = task ?? {}
    assert.deepEqual(facts, {
      task: toId(0),
      account: "ann",
      model: EDIT,
      status: "succeeded",
      state: "succeeded.available",
      created_at_ms: NOVEMBER - 40 * 86_400_000,
      updated_at_ms: NOVEMBER - 1,
      finished_at_ms: NOVEMBER - 1,
      end_by_ms: NOVEMBER + 50 * 86_400_000,
      attempt: 1,
      channel: "sample",
      progress: 100,
      error_code: null,
      parameters: "{}",
      commitment: "0".repeat(64),
      definition: null,
      price_version: PRICE_VERSION,
      reservation_micros: 80_000,
      charge_micros: 40_000,
      version: 3,
    })
    assert.match(String(hash), /^[0-9a-f]{64}$/)
    const waiting = query(
      file,
      `select status, finished_at_ms from tasks where task = '${toId(4)}'`,
    )
    assert.deepEqual(waiting, [{ status: "running", finished_at_ms: null }])
    const [charge] = query(file, `select * from charges where task = '${toId(0)}'`)
    assert.deepEqual(charge, {
      task: toId(0),
      account: "ann",
      model: EDIT,
      charged_at_ms: NOVEMBER - 1,
      month: "2025-10",
      price_version: PRICE_VERSION,
      price_digest: PRICE?.digest,
      images: 2,
      output_video_ms: 0,
      billed_input_ms: 0,
      output_audio_ms: 0,
      characters: 0,
      tokens: 0,
      charge_micros: 40_000,
      event_version: 3,
      event_hash: hash,
      finding: null,
    })
    assert.ok(hashOf(3) instanceof Uint8Array || typeof hashOf(3) === "string")
    const artifacts = query(
      file,
      "select task, position, key, type, mime_type, bytes, duration_ms, expires_at_ms from artifacts",
    )
    assert.equal(artifacts.length, 3)
    assert.deepEqual(artifacts[1], {
      task: toId(0),
      position: 1,
      key: "image_2",
      type: "image",
      mime_type: "image/png",
      bytes: 11,
      duration_ms: null,
      expires_at_ms: 5_000,
    })
    const [outcome] = query(file, `select * from outcomes where task = '${toId(3)}'`)
    assert.deepEqual(
      [outcome?.["attempt"], outcome?.["outcome"], outcome?.["charge_micros"]],
      [1, "failed", 20_000],
    )
    const types = query(
      file,
      "select distinct typeof(created_at_ms) as at, typeof(charge_micros) as money from tasks",
    )
    assert.deepEqual(types, [{ at: "integer", money: "integer" }])
  })

  test("has the columns that the guide for auditors lists, in that order", async (t) => {
    const folder = await recordPastFolder(t)
    await replay(folder, "--until", "2025-11-01", "--out", "state.db")
    const file = join(folder, "state.db")
    const guide = await readFile(GUIDE, "utf8")
    const rows = guide.matchAll(
      /^\| `(about|tasks|artifacts|charges|outcomes|monthly_bills)` +\| (.*?) +\|$/gm,
    )
    const listed = Array.from(rows, ([, table = "", words = ""]) => [
      table,
      Array.from(words.matchAll(/`(\w+)`/g), ([, column]) => column),
    ])
    const tables = query(file, "select name from sqlite_master where type in ('table', 'view')")
    assert.deepEqual(
      new Set(listed.map(([table]) => table)),
      new Set(tables.map(({ name }) => name)),
    )
    for (const [table, columns] of listed) {
      const there = query(file, `select name from pragma_table_info('${String(table)}')`)
      assert.deepEqual(
        columns,
        there.map(({ name }) => name),
        String(table),
      )
    }
  })

  test("says and writes the same of a PostgreSQL database", async (t) => {
    const folder = await recordPastFolder(t)
    const database = await recordPastDatabase(t)
    const words = ["--until", "2025-11-01", "--out"]
    const one = await replay(folder, ...words, "sqlite.db", "--data", "data")
    const other = await replay(folder, ...words, "postgres.db", "--database", database.url)
    assert.deepEqual([one.code, other.code, other.stderr], [0, 0, ""])
    assert.equal(other.stdout.replace("postgres.db", "sqlite.db"), one.stdout)
    for (const table of ["about", "tasks", "artifacts", "charges", "outcomes", "monthly_bills"]) {
      const [here, there] = ["sqlite.db", "postgres.db"].map((name) =>
        query(join(folder, name), `select * from ${table}`),
      )
      assert.ok((here?.length ?? 0) > 0, table)
      assert.deepEqual(there, here, table)
    }
  })
})

describe("replay until a moment is refused", () => {
  test("where a file is there already, which stays as it is", async (t) => {
    const folder = await recordPastFolder(t)
    await writeFile(join(folder, "state.db"), "somebody's")
    const { code, stderr, stdout } = await replay(folder, "--until", "2025-11", "--out", "state.db")
    assert.match(stderr, /^safelight: \S+state\.db is there already; --out names another file\n$/)
    assert.deepEqual([code, stdout], [2, ""])
    assert.equal(await readFile(join(folder, "state.db"), "utf8"), "somebody's")
    assert.deepEqual((await readdir(folder)).toSorted(), ["data", "state.db"])
  })

  test("for a file without a moment, a moment to come, and none at all", async (t) => {
    const folder = await recordPastFolder(t)
    for (const [words, pattern] of [
      [["--out", "state.db"], /--out needs --until/],
      [["--until", "9999-01-01"], /--until: expected a moment that has passed/],
      [["--until", "2025-13"], /--until .*expected Unix seconds or an ISO date/],
    ] as const) {
      const { code, stderr, stdout } = await replay(folder, ...words)
      assert.match(stderr, pattern)
      assert.match(stderr, /^safelight: [^\n]+\n$/)
      assert.deepEqual([code, stdout], [2, ""])
    }
    assert.deepEqual(await readdir(folder), ["data"])
  })

  test("where the file can't be written, and nothing is left", async (t) => {
    const folder = await recordPastFolder(t)
    const { code, stderr } = await replay(folder, "--until", "2025-11", "--out", "none/state.db")
    assert.match(stderr, /^safelight: \S+ can't be written \(ENOENT\)\n$/)
    assert.equal(code, 2)
    assert.deepEqual(await readdir(folder), ["data"])
  })
})

describe("a damaged log", () => {
  test("is told with the task, and no file is kept as if it were whole", async (t) => {
    const folder = await recordPastFolder(t)
    alter(folder, `update events set data = replace(data, 'ann', 'eve') where data like '%"ann"%'`)
    const words = ["--until", "2025-11-01", "--out", "state.db"]
    const { code, stdout } = await replay(folder, ...words)
    assert.match(stdout, new RegExp(`^task ${toId(0)}, event 1: the hash is `, "m"))
    assert.match(stdout, /^it differs$/m)
    assert.match(stdout, /^nothing was written: the state of 3 tasks can't be told$/m)
    assert.match(stdout, /^2 tasks, 5 events, charged 20000 micro-units/m)
    assert.equal(code, 1)
    assert.deepEqual(await readdir(folder), ["data"])
    const json = await replay(folder, ...words, "--json")
    const { file, outcome, untoldTasks } = JSON.parse(json.stdout) as Report
    assert.deepEqual([json.code, file, outcome, untoldTasks], [1, null, "differs", 3])
  })

  test("is told where a newer release wrote it, and that nobody can judge it here", async (t) => {
    const folder = await recordPastFolder(t)
    alter(folder, `update events set schema = 99 where version = 3`)
    const words = ["--until", "2025-11-02", "--out", "state.db", "--json"]
    const { code, stdout } = await replay(folder, ...words)
    const report = JSON.parse(stdout) as Report
    // The hash is over the schema too.
    assert.ok(report.findings.some(({ kind }) => kind === "event-unknown"))
    assert.equal(report.untoldTasks, 5)
    assert.equal(code, 1)
    assert.deepEqual(await readdir(folder), ["data"])
  })

  test("with a charge alone that differs is written, with what is wrong at the charge", async (t) => {
    const folder = await recordPastFolder(t)
    const storage = await createSqliteStorage({ folder: join(folder, "data") })
    const usage = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
    const billed = { chargeMicros: 20_001, usage }
    const command = { kind: "fail", attempt: 1, code: "no_output", billed } as const
    const end = { at: NOVEMBER - 1, command }
    await recordPastTask(storage, toId(9), { account: "eve", submittedAt: NOVEMBER - 9, end })
    await storage.close()
    const { code, stdout } = await replay(folder, "--until", "2025-11", "--out", "state.db")
    assert.match(stdout, /usage and price make 20000 \(micro-units\)$/m)
    assert.match(stdout, /^written to \S+state\.db$/m)
    assert.equal(code, 1)
    const file = join(folder, "state.db")
    assert.deepEqual(query(file, "select task from charges where finding is not null"), [
      { task: toId(9) },
    ])
    assert.deepEqual(query(file, "select outcome from about"), [{ outcome: "differs" }])
  })
})

/** So many that their file takes a while, and some megabytes. */
const MANY = 2_000

async function recordMany(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  const storage = await createSqliteStorage({ folder: join(folder, "data") })
  const tasks = Array.from({ length: MANY }, (_, index) =>
    recordPastTask(storage, toId(index), { account: "ann", submittedAt: NOVEMBER - 9 }),
  )
  await Promise.all(tasks)
  await storage.close()
  return folder
}

test("a disk that takes no more ends it with one line, and leaves no file", async (t) => {
  const folder = await recordMany(t)
  const words = "audit replay --until 2025-11 --out state.db"
  // In blocks of 512 bytes: less than the file, more than what reading the data writes.
  const script = `ulimit -f 400; exec ${process.execPath} ${BIN} ${words}`
  const command = startCommand(["-c", script], { folder, node: "/bin/sh", bin: "-e" })
  const { code, stderr, stdout } = await command.ended
  assert.match(stderr, /^safelight: \S+ can't be written \([^\n]+\)\n$/)
  assert.deepEqual([code, stdout], [2, ""])
  assert.deepEqual(await readdir(folder), ["data"])
})

test("a process that is killed as it writes leaves nothing under the name, and another run makes it", async (t) => {
  const folder = await recordMany(t)
  const words = ["audit", "replay", "--until", "2025-11", "--out", "state.db"]
  const command = startCommand(words, { folder })
  const partial = join(folder, "state.db.partial")
  while ((await stat(partial).catch(() => undefined)) === undefined) {
    assert.equal(command.child.exitCode, null, command.stderr())
    // oxlint-disable-next-line no-await-in-loop
    await setImmediate()
  }
  command.kill("SIGKILL")
  assert.equal((await command.ended).signal, "SIGKILL")
  assert.deepEqual((await readdir(folder)).toSorted(), ["data", "state.db.partial"])
  const { code } = await runCommand(words, { folder })
  assert.equal(code, 0)
  assert.deepEqual((await readdir(folder)).toSorted(), ["data", "state.db"])
  assert.deepEqual(query(join(folder, "state.db"), "select count(*) as n from tasks"), [
    { n: MANY },
  ])
})
