/** The `accounts` commands, alone and beside a service that runs on the same folder. */
import assert from "node:assert/strict"
import { readdir, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import {
  parseKey,
  runCommand,
  startService,
  temporaryFolder,
  type CommandEnd,
} from "./command-process.ts"
import { PICTURE, pictures, recordTasks } from "./recorded-tasks.ts"

interface Shown {
  readonly id: string
  readonly created_at: number
  readonly suspended_at: number
  readonly totals: Readonly<Record<string, number | null>>
}

function accounts(folder: string, ...words: readonly string[]): Promise<CommandEnd> {
  return runCommand(["accounts", ...words], { folder })
}

async function show(folder: string, name: string): Promise<Shown> {
  return JSON.parse((await accounts(folder, "show", name, "--json")).stdout) as Shown
}

const UNSET = {
  create_rate: null,
  read_rate: null,
  content_rate: null,
  unfinished_tasks: null,
  running_tasks: null,
  weight: 1,
  budget_micros: null,
  retention_ms: null,
  max_retention_ms: 0,
  sign_content_urls: false,
}
const NOTHING = { charged_micros: 0, reserved_micros: 0, unfinished_tasks: 0, left_micros: null }

const ALL = [
  ["--create-rate", "60/1m"],
  ["--read-rate", "1000/90s"],
  ["--content-rate", "1/1d"],
  ["--unfinished-tasks", "10"],
  ["--running-tasks", "3"],
  ["--weight", "7"],
  ["--budget-micros", "5000000"],
  ["--retention", "14d"],
  ["--max-retention", "60d"],
  ["--sign-content-urls", "yes"],
  ["--suspend"],
].flat()

describe("set", () => {
  test("every setting is kept and shown, and taken away again", async (t) => {
    const folder = await temporaryFolder(t)
    const made = await accounts(folder, "set", "ada", ...ALL, "--json")
    assert.deepEqual([made.code, made.stderr], [0, 'account "ada" is new\n'])
    const shown = await show(folder, "ada")
    assert.deepEqual(JSON.parse(made.stdout), shown)
    assert.notEqual(shown.suspended_at, 0)
    const { created_at, suspended_at } = shown
    assert.deepEqual(shown, {
      id: "ada",
      created_at,
      suspended_at,
      create_rate: { requests: 60, window_ms: 60_000 },
      read_rate: { requests: 1_000, window_ms: 90_000 },
      content_rate: { requests: 1, window_ms: 86_400_000 },
      unfinished_tasks: 10,
      running_tasks: 3,
      weight: 7,
      budget_micros: 5_000_000,
      retention_ms: 14 * 86_400_000,
      max_retention_ms: 60 * 86_400_000,
      sign_content_urls: true,
      totals: { ...NOTHING, left_micros: 5_000_000 },
    })
    const rates = ["--create-rate", "--read-rate", "--content-rate"]
    const bounds = ["--unfinished-tasks", "--running-tasks", "--budget-micros"]
    const words = [...rates, ...bounds].flatMap((name) => [name, "none"])
    const more = [
      "--weight",
      "1",
      "--retention",
      "default",
      "--max-retention",
      "none",
      "--sign-content-urls",
      "no",
      "--resume",
    ]
    const unset = await accounts(folder, "set", "ada", ...words, ...more, "--json")
    assert.equal(unset.stderr, "")
    const expected = { ...UNSET, id: "ada", created_at, suspended_at: 0, totals: NOTHING }
    assert.deepEqual(JSON.parse(unset.stdout), expected)
  })

  test("what is not named stays, one rate of three as well", async (t) => {
    const folder = await temporaryFolder(t)
    await accounts(folder, "set", "ada", ...ALL)
    const before = await show(folder, "ada")
    await accounts(folder, "set", "ada", "--read-rate", "7/2h")
    assert.deepEqual(await show(folder, "ada"), {
      ...before,
      read_rate: { requests: 7, window_ms: 7_200_000 },
    })
  })

  test("a second suspension keeps the first moment", async (t) => {
    const folder = await temporaryFolder(t)
    await accounts(folder, "set", "ada", "--suspend")
    const first = await accounts(folder, "show", "ada")
    assert.match(first.stdout, /^state +suspended \d{4}-\S+Z$/m)
    await accounts(folder, "set", "ada", "--suspend")
    assert.equal((await accounts(folder, "show", "ada")).stdout, first.stdout)
  })

  test("it prints the account as it stands, amounts as units too", async (t) => {
    const folder = await temporaryFolder(t)
    const { stdout } = await accounts(folder, "set", "ada", ...ALL.slice(0, -1))
    const [account, created, ...rest] = stdout.split("\n")
    assert.equal(account, "account            ada")
    assert.match(created ?? "", /^created +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, [
      "state              active",
      "create rate        60/1m",
      "read rate          1000/90s",
      "content rate       1/1d",
      "unfinished tasks   0 of 10",
      "running tasks      at most 3",
      "weight             7",
      "retention          14d",
      "held at most       60d",
      "sign content urls  yes",
      "budget             5000000 micro-units (5.000000)",
      "charged            0 micro-units (0.000000)",
      "reserved           0 micro-units (0.000000)",
      "left               5000000 micro-units (5.000000)",
      "",
    ])
    const same = await accounts(folder, "show", "ada")
    assert.equal(same.stdout, stdout)
  })
})

const RATES = ["CREATE", "READ", "CONTENT"]
const BOUNDS = ["UNFINISHED", "RUNNING", "WEIGHT", "BUDGET"]
const HEADINGS = ["ACCOUNT", "CREATED", "STATE", ...RATES, ...BOUNDS]
/** Of two rates and of unfinished tasks, where nothing else is set. */
const DEFAULTED = ["1200/1m", "1200/1m", "100"]

describe("show and list", () => {
  test("show adds up what the tasks cost, hold back and leave", async (t) => {
    const folder = await temporaryFolder(t)
    await accounts(folder, "set", "ada", "--budget-micros", "25000")
    const done = { model: PICTURE, outcome: pictures(1) }
    await recordTasks(`${folder}/data`, [done, { model: PICTURE }], { account: "ada" })
    const { totals } = await show(folder, "ada")
    assert.deepEqual(totals, {
      charged_micros: 10_000,
      reserved_micros: 10_000,
      unfinished_tasks: 1,
      left_micros: 5_000,
    })
    const lowered = await accounts(folder, "set", "ada", "--budget-micros", "0")
    assert.match(lowered.stdout, /^left +-20000 micro-units \(-0\.020000\)$/m)
    // Without a bound they are counted when asked for.
    await accounts(folder, "set", "ada", "--budget-micros", "none")
    assert.deepEqual((await show(folder, "ada")).totals, { ...totals, left_micros: null })
  })

  test("list shows every account by name, those that keys made as well", async (t) => {
    const folder = await temporaryFolder(t)
    await runCommand(["keys", "create", "--account", "bea"], { folder })
    await accounts(
      folder,
      "set",
      "ada",
      "--budget-micros",
      "1",
      "--create-rate",
      "60/1m",
      "--weight",
      "9",
    )
    await accounts(folder, "set", "bea", "--running-tasks", "4")
    const { stdout, code } = await accounts(folder, "list")
    const cells = stdout.split("\n").map((line) => line.split(/ {2,}/))
    const running = String(Math.max(2, availableParallelism()))
    const moment = (row: number): string => cells[row]?.[1] ?? ""
    assert.deepEqual(cells, [
      HEADINGS,
      ["ada", moment(1), "active", "60/1m", ...DEFAULTED, running, "9", "1 micro-unit (0.000001)"],
      ["bea", moment(2), "active", "120/1m", ...DEFAULTED, "4", "1", "none"],
      [""],
    ])
    assert.equal(code, 0)
    const listed = JSON.parse((await accounts(folder, "list", "--json")).stdout) as Shown[]
    const { totals: _, ...bea } = await show(folder, "bea")
    assert.deepEqual(listed[1], bea)
    assert.deepEqual(
      listed.map(({ id }) => id),
      ["ada", "bea"],
    )
  })

  test("an account that is none is told from one without limits", async (t) => {
    const folder = await temporaryFolder(t)
    await runCommand(["keys", "create", "--account", "ada"], { folder })
    const { code, stderr } = await accounts(folder, "show", "adda")
    assert.match(stderr, /^safelight: there is no account with this name[^\n]*\n$/)
    assert.equal(code, 2)
  })
})

const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["nothing to set", ["set", "ada"], /nothing to set/],
  ["a place alone", ["set", "ada", "--database", "postgres://127.0.0.1:1/x"], /nothing to set/],
  ["no name", ["set", "--suspend"], /missing required argument 'name'/],
  ["an empty name", ["set", " ", "--suspend"], /'name'\. expected 1 to 200 printable characters/],
  ["both ways at once", ["set", "a", "--resume", "--suspend"], /'--suspend' cannot be used with/],
  ["a rate without a window", ["set", "a", "--create-rate", "60"], /'--create-rate <rate>'/],
  ["a rate of nothing", ["set", "a", "--read-rate", "0/1m"], /'--read-rate <rate>'/],
  ["a window of nothing", ["set", "a", "--read-rate", "1/0s"], /'--read-rate <rate>'/],
  ["a window that is too long", ["set", "a", "--content-rate", "1/25h"], /'--content-rate <rate>'/],
  ["a rate of two windows", ["set", "a", "--content-rate", "1/1m/1m"], /'--content-rate <rate>'/],
  ["a count below 0", ["set", "a", "--unfinished-tasks", "-1"], /'--unfinished-tasks <count>'/],
  ["a weight of nothing", ["set", "a", "--weight", "0"], /whole number from 1 to 1000/],
  ["a weight above all", ["set", "a", "--weight", "1001"], /'--weight <number>'/],
  ["no running task", ["set", "a", "--running-tasks", "0"], /'--running-tasks <count>'.*, or none/],
  ["a fraction", ["set", "a", "--budget-micros", "0.5"], /'--budget-micros <amount>'/],
  ["an inexact amount", ["set", "a", "--budget-micros", "9007199254740993"], /'--budget-micros/],
  ["a time without a unit", ["set", "a", "--retention", "14"], /'--retention <duration>'/],
  ["no time", ["set", "a", "--retention", "0d"], /'--retention <duration>'/],
  ["eleven years", ["set", "a", "--retention", "4015d"], /1s to 3650d, or default/],
  ["another answer", ["set", "a", "--sign-content-urls", "on"], /expected yes or no/],
  ["a stop that lets new tasks come", ["set", "a", "--stop"], /nothing to set/],
  ["a stop of what goes on", ["set", "a", "--stop", "--weight", "2"], /--stop goes with --suspend/],
  ["a folder without a database", ["list"], /there is no Safelight database in/],
]
for (const [name, words, expected] of mistakes) {
  test(`${name} is one line, ends with 2 and makes nothing`, async (t) => {
    const folder = await temporaryFolder(t)
    const { code, stdout, stderr } = await accounts(folder, ...words)
    assert.match(stderr, /^safelight: [^\n]+\n$/)
    assert.match(stderr, expected)
    assert.deepEqual([code, stdout], [2, ""])
    assert.deepEqual(await readdir(folder), [])
  })
}

describe("an account that is made without settings of its own", () => {
  const limits = {
    create_rate: { requests: 120, window_ms: 60_000 },
    read_rate: { requests: 1_200, window_ms: 60_000 },
    content_rate: { requests: 1_200, window_ms: 60_000 },
    unfinished_tasks: 100,
    running_tasks: Math.max(2, availableParallelism()),
  }

  test("has safe limits: the first one, a key's and one that is set", async (t) => {
    const folder = await temporaryFolder(t)
    const service = await startService(folder)
    service.kill("SIGTERM")
    await service.ended
    await runCommand(["keys", "create", "--account", "bea"], { folder })
    await accounts(folder, "set", "cy", "--read-rate", "none")
    const listed = JSON.parse((await accounts(folder, "list", "--json")).stdout) as Shown[]
    const expected = { ...UNSET, ...limits, suspended_at: 0 }
    assert.deepEqual(
      listed.map(({ created_at: _created, ...account }) => account),
      [
        { ...expected, id: "bea" },
        { ...expected, id: "cy", read_rate: null },
        { ...expected, id: "default" },
      ],
    )
  })

  test("has those of the configuration, and one that is there keeps its own", async (t) => {
    const folder = await temporaryFolder(t)
    await accounts(folder, "set", "ada", "--weight", "2")
    const before = await show(folder, "ada")
    const defaults = { createRate: "5/1s", contentRate: "none", runningTasks: "none", weight: 3 }
    await writeFile(
      join(folder, "safelight.config.json"),
      JSON.stringify({ accounts: { defaults: { ...defaults, budgetMicros: 700 } } }),
    )
    for (const account of ["ada", "bea"]) {
      await runCommand(["keys", "create", "--account", account], { folder })
    }
    assert.deepEqual(await show(folder, "ada"), before)
    const { created_at } = await show(folder, "bea")
    assert.deepEqual(await show(folder, "bea"), {
      ...UNSET,
      ...limits,
      id: "bea",
      created_at,
      suspended_at: 0,
      create_rate: { requests: 5, window_ms: 1_000 },
      content_rate: null,
      running_tasks: null,
      weight: 3,
      budget_micros: 700,
      totals: { ...NOTHING, left_micros: 700 },
    })
  })
})

test("a suspension that stops ends what is unfinished, uncharged, and nothing else", async (t) => {
  const folder = await temporaryFolder(t)
  const recordings = [{ model: PICTURE, outcome: pictures(1) }, { model: PICTURE }]
  const [done, waiting] = await recordTasks(`${folder}/data`, recordings, { account: "ada" })
  const [other] = await recordTasks(`${folder}/data`, [{ model: PICTURE }], { account: "bea" })
  const { code, stderr } = await accounts(folder, "set", "ada", "--suspend", "--stop")
  assert.deepEqual([code, stderr], [0, 'account "ada" is new\n1 tasks stopped\n'])
  const storage = await createSqliteStorage({ folder: `${folder}/data`, mode: "beside" })
  const read = async (id = "") => (await storage.readTask(id))?.task
  const stopped = await read(waiting)
  assert.deepEqual(
    [stopped?.state, stopped?.error?.code, stopped?.chargeMicros],
    ["failed", "task_cancelled", 0],
  )
  assert.equal((await read(done))?.state, "succeeded.available")
  assert.equal((await read(other))?.state, "queued")
  await storage.close()
})

describe("a service that runs beside", () => {
  /** A request whose answer is asked for until it is the one expected. */
  async function start(t: TestContext) {
    const folder = await temporaryFolder(t)
    // Tasks that stall would hold up its stop.
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ stopGraceMs: 0 }))
    const { url, stdout } = await startService(folder, ["--sandbox"])
    const headers = { authorization: `Bearer ${parseKey(stdout())}` }
    const body = JSON.stringify({ model: PICTURE, parameters: { prompt: "[studio: stall]" } })
    const posting = {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    }
    const ask = async (path: string, init: RequestInit = { headers }) => {
      const response = await fetch(`${url}${path}`, init)
      const answer = (await response.json()) as { error?: { code: string } }
      return `${response.status} ${answer.error?.code ?? ""}`.trim()
    }
    return {
      url,
      headers,
      posting,
      set: (...words: readonly string[]) => accounts(folder, "set", "default", ...words),
      get: () => ask("/v1/tasks/none"),
      post: () => ask("/v1/tasks", posting),
    }
  }

  /** What is set holds within a second; asking in a frenzy would only fill the queue. */
  async function reach(ask: () => Promise<string>, expected: string): Promise<void> {
    while ((await ask()) !== expected) await setTimeout(20)
  }

  test("a suspended account is refused, a resumed one answered", async (t) => {
    const { set, get } = await start(t)
    assert.equal(await get(), "404 task_not_found")
    await set("--suspend")
    await reach(get, "403 account_suspended")
    await set("--resume")
    await reach(get, "404 task_not_found")
  })

  const limits: readonly (readonly [string, readonly string[], string])[] = [
    ["a budget", ["--budget-micros", "0"], "402 insufficient_balance"],
    ["a bound on tasks", ["--unfinished-tasks", "0"], "429 concurrency_limit_exceeded"],
    ["a rate", ["--create-rate", "1/1d"], "429 rate_limit_exceeded"],
  ]
  for (const [name, words, refusal] of limits) {
    test(`${name} is held, and no longer once it is taken away`, async (t) => {
      const { set, post } = await start(t)
      assert.equal(await post(), "202")
      await set(...words)
      await reach(post, refusal)
      await set(words[0] ?? "", "none")
      await reach(post, "202")
    })
  }

  test("its own retention and signed addresses show on the next task", async (t) => {
    const { set, url, headers, posting } = await start(t)
    await set("--retention", "1h", "--sign-content-urls", "yes")
    const read = async <Body>(path: string, init: RequestInit = { headers }): Promise<Body> =>
      (await (await fetch(`${url}${path}`, init)).json()) as Body
    const parameters = { prompt: "[studio: at-once] fog", size: "square" }
    const body = JSON.stringify({ model: PICTURE, parameters })
    type Task = { task_id: string; finished_at: number }
    type Listed = { artifacts: { content_url: string; expires_at: number }[] }
    const isObeyed = async (): Promise<boolean> => {
      const { task_id: id } = await read<Task>("/v1/tasks", { ...posting, body })
      let task = await read<Task>(`/v1/tasks/${id}`)
      while (task.finished_at === 0) {
        await setTimeout(20)
        task = await read<Task>(`/v1/tasks/${id}`)
      }
      const { artifacts } = await read<Listed>(`/v1/tasks/${id}/artifacts`)
      const [only] = artifacts
      const keptSeconds = (only?.expires_at ?? 0) - task.finished_at
      return keptSeconds === 3_600 && /\?access=v1\./.test(only?.content_url ?? "")
    }
    while (!(await isObeyed())) await setTimeout(100)
  })
})
