/** `audit bill`: an account's month, each charge with its evidence, in words and as JSON. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Writable } from "node:stream"
import { describe, test } from "node:test"
import { toCanonicalJson, type Json, type TaskCommand } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { runProgram, type CommandContext } from "safelight"
import { runCommand, temporaryFolder, type CommandEnd } from "./command-process.ts"
import {
  EDIT,
  NOVEMBER,
  PRICE,
  PRICE_VERSION,
  recordPastTask,
  recordPastDatabase,
  recordPastFolder,
  recordPastTasks,
  toId,
} from "./past-tasks.ts"

interface Bill {
  readonly account: string
  readonly month: string
  readonly is_over: boolean
  readonly from_at_ms: number
  readonly to_at_ms: number
  readonly charges: readonly {
    readonly task: string
    readonly ended_at_ms: number
    readonly price: { readonly digest: string; readonly definition: Json }
    readonly event: { readonly version: number; readonly hash: string }
    readonly charge_micros: number
    readonly measured_micros: number | null
    readonly recomputed_micros: number | null
    readonly finding: { readonly kind: string; readonly words: string } | null
  }[]
  readonly charge_count: number
  readonly untold_charges: number
  readonly billed_micros: number
  readonly charge_micros: number
  readonly recomputed_micros: number | null
  readonly outcome: string
  readonly findings: readonly { readonly kind: string }[]
}

/** The end of a task that made nothing, and for which one image was billed. */
function failAndCharge(chargeMicros: number): TaskCommand {
  const usage = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
  return { kind: "fail", attempt: 1, code: "no_output", billed: { chargeMicros, usage } }
}

const bill = (folder: string, ...words: readonly string[]): Promise<CommandEnd> =>
  runCommand(["audit", "bill", ...words], { folder })

function alter(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "data", "safelight.db"))
  database.exec(sql)
  database.close()
}

async function hashOf(folder: string, id: string, version: number): Promise<string> {
  const storage = await createSqliteStorage({ folder: join(folder, "data"), mode: "beside" })
  const events = await storage.readEvents(id)
  await storage.close()
  return events[version - 1]?.hash ?? ""
}

describe("a bill", () => {
  test("says of each charge what was used, the price, the arithmetic and the event", async (t) => {
    const folder = await recordPastFolder(t)
    const { code, stderr, stdout } = await bill(folder, "ann", "2025-11")
    const [one, other] = [await hashOf(folder, toId(1), 3), await hashOf(folder, toId(2), 3)]
    assert.match(one, /^[0-9a-f]{64}$/)
    const price = `price ${PRICE_VERSION}, definition ${PRICE?.digest}`
    assert.equal(
      stdout,
      `account ann, 2025-11 (UTC), by the moment of the end

2025-11-01T00:00:00.000Z  ${toId(1)}  ${EDIT}  succeeded
  ${price}
  1 image × 20000 = 20000 micro-units (0.020000)
  charged 20000 micro-units (0.020000) by event 3, hash ${one}

2025-11-01T00:00:00.001Z  ${toId(2)}  ${EDIT}  succeeded
  ${price}
  3 images × 20000 = 60000 micro-units (0.060000)
  charged 60000 micro-units (0.060000) by event 3, hash ${other}

charges     2
billed      80000 micro-units (0.080000)
charged     80000 micro-units (0.080000)
recomputed  80000 micro-units (0.080000)
every charge follows from the log
`,
    )
    assert.deepEqual([code, stderr], [0, ""])
  })

  test("is one JSON object whose charges add up, with each price behind its digest", async (t) => {
    const folder = await recordPastFolder(t)
    const { code, stdout } = await bill(folder, "ann", "2025-10", "--json")
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(stdout), {
      account: "ann",
      month: "2025-10",
      from_at_ms: Date.UTC(2025, 9),
      to_at_ms: NOVEMBER,
      is_over: true,
      currency: null,
      charges: [
        {
          task: toId(0),
          model: EDIT,
          outcome: "succeeded",
          ended_at_ms: NOVEMBER - 1,
          usage: {
            images: 2,
            input_videos_ms: [],
            output_video_ms: 0,
            output_audio_ms: 0,
            characters: 0,
            tokens: 0,
          },
          parameters: {},
          price: {
            version: PRICE_VERSION,
            digest: PRICE?.digest,
            definition: {
              model: EDIT,
              price: { perImageMicros: 20_000 },
              priceVersion: PRICE_VERSION,
            },
          },
          lines: [{ item: "image", quantity: 2, unit_price_micros: 20_000, factors: [] }],
          measured_micros: 40_000,
          limit_micros: 80_000,
          recomputed_micros: 40_000,
          charge_micros: 40_000,
          event: { version: 3, hash: await hashOf(folder, toId(0), 3) },
          finding: null,
        },
      ],
      charge_count: 1,
      untold_charges: 0,
      billed_micros: 40_000,
      charge_micros: 40_000,
      recomputed_micros: 40_000,
      outcome: "whole",
      findings: [],
      finding_count: 0,
    })
    const { charges } = JSON.parse(stdout) as Bill
    for (const { price } of charges) {
      assert.equal(sha256([toCanonicalJson(price.definition)]), price.digest)
    }
    // A line for each charge.
    assert.equal(stdout.split("\n").filter((line) => line.startsWith('{"task"')).length, 1)
  })

  test("may be empty, of an account that had no charge in the month", async (t) => {
    const folder = await recordPastFolder(t)
    const words = await bill(folder, "ben", "2025-11")
    assert.match(words.stdout, /^charges +0$/m)
    assert.equal(words.code, 0)
    const { stdout } = await bill(folder, "ben", "2025-11", "--json")
    const { charge_micros: micros, charges } = JSON.parse(stdout) as Bill
    assert.deepEqual([micros, charges], [0, []])
  })

  test("has what failed and was billed all the same", async (t) => {
    const { stdout } = await bill(await recordPastFolder(t), "ben", "2025-10")
    assert.match(stdout, new RegExp(`${toId(3)}  ${EDIT}  failed$`, "m"))
    assert.match(stdout, /^charged +20000 micro-units/m)
  })

  test("says where less is charged than was used, and where nothing is counted", async (t) => {
    const folder = await temporaryFolder(t)
    const storage = await createSqliteStorage({ folder: join(folder, "data") })
    await recordPastTasks(storage)
    for (const [images, chargeMicros] of [
      [5, 80_000],
      [0, 0],
    ] as const) {
      const billed = { chargeMicros, usage: { images, inputVideosMs: [], outputVideoMs: 0 } }
      const command = { kind: "fail", attempt: 1, code: "no_output", billed } as const
      const end = { at: NOVEMBER + images, command }
      // oxlint-disable-next-line no-await-in-loop
      await recordPastTask(storage, toId(10 + images), {
        account: "eve",
        submittedAt: NOVEMBER,
        end,
      })
    }
    await storage.close()
    const { code, stdout } = await bill(folder, "eve", "2025-11")
    const lines = stdout.split("\n").map((line) => line.trim())
    for (const line of [
      "usage and price make 0 micro-units (0.000000)",
      "5 images × 20000 = 100000 micro-units (0.100000)",
      "at most what was reserved is charged: 80000 micro-units (0.080000)",
      "charged     80000 micro-units (0.080000)",
      "recomputed  80000 micro-units (0.080000)",
    ]) {
      assert.equal(lines.filter((each) => each === line).length, 1, line)
    }
    assert.equal(code, 0)
  })

  test("says that a month is not over while it is not", async (t) => {
    const folder = await recordPastFolder(t)
    const now = new Date().toISOString().slice(0, 7)
    assert.match((await bill(folder, "ann", now)).stdout, /^the month is not over$/m)
    const { is_over: isOver } = JSON.parse(
      (await bill(folder, "ann", now, "--json")).stdout,
    ) as Bill
    assert.equal(isOver, false)
  })

  test("is the same of a PostgreSQL database", async (t) => {
    const folder = await recordPastFolder(t)
    const database = await recordPastDatabase(t)
    const words = ["ann", "2025-11", "--json"]
    const other = await bill(folder, ...words, "--database", database.url)
    assert.deepEqual(other, await bill(folder, ...words))
    assert.equal((JSON.parse(other.stdout) as Bill).charges.length, 2)
  })

  test("goes on over pages, all charges in the order of their moments", async (t) => {
    const folder = await temporaryFolder(t)
    const storage = await createSqliteStorage({ folder: join(folder, "data") })
    const command = failAndCharge(20_000)
    await recordPastTasks(storage)
    const tasks = Array.from({ length: 250 }, (_, index) => {
      // The later ids end earlier, three at a moment.
      const at = NOVEMBER + 1_000 - Math.floor(index / 3)
      const task = { account: "eve", submittedAt: NOVEMBER, end: { at, command } }
      return recordPastTask(storage, toId(100 + index), task)
    })
    await Promise.all(tasks)
    await storage.close()
    const { code, stdout } = await bill(folder, "eve", "2025-11", "--json")
    const { charge_micros: micros, charges } = JSON.parse(stdout) as Bill
    assert.deepEqual([code, charges.length, micros], [0, 250, 5_000_000])
    const order = charges.map(({ ended_at_ms: at, task }) => `${at} ${task}`)
    assert.deepEqual(order, order.toSorted())
    assert.equal(new Set(charges.map(({ task }) => task)).size, 250)
  })
})

describe("a bill is refused", () => {
  test("for an account or a month that there is not, which the words name", async (t) => {
    const folder = await recordPastFolder(t)
    for (const [words, pattern] of [
      [
        ["nobody", "2025-11"],
        /account: there is no account with this name; `safelight accounts list`/,
      ],
      [["", "2025-11"], /'account'.*expected 1 to 200 printable characters/],
      [["ann", "2026-13"], /'month'.*expected a month such as 2026-11/],
      [["ann", "2026-1"], /'month'.*expected a month such as 2026-11/],
      [["ann", "1969-12"], /'month'.*expected a month such as 2026-11/],
      [["ann", "2026-11-01"], /'month'.*expected a month such as 2026-11/],
      [["ann", "9999-11"], /month: 9999-11 has not begun/],
      [["ann"], /month/],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { code, stderr, stdout } = await bill(folder, ...words)
      assert.match(stderr, pattern)
      assert.match(stderr, /^safelight: [^\n]+\n$/)
      assert.deepEqual([code, stdout], [2, ""])
    }
  })

  test("not for an account that nobody made and that has tasks, nor for one without", async (t) => {
    const folder = await recordPastFolder(t)
    const storage = await createSqliteStorage({ folder: join(folder, "data") })
    assert.equal(await storage.findAccount("ann"), undefined)
    await storage.setAccount({ id: "eve", now: NOVEMBER, settings: {} })
    await storage.close()
    for (const account of ["ann", "eve"]) {
      // oxlint-disable-next-line no-await-in-loop
      assert.equal((await bill(folder, account, "2025-09")).code, 0)
    }
  })
})

describe("a bill that does not follow from the log", () => {
  test("ends with 1 and names the item that was changed behind the log", async (t) => {
    const folder = await recordPastFolder(t)
    alter(folder, "update charges set charge_micros = 60001 where charge_micros = 60000")
    const { code, stdout } = await bill(folder, "ann", "2025-11")
    assert.match(stdout, /^billed +80001 micro-units/m)
    assert.match(stdout, /^recomputed +80000 micro-units/m)
    assert.match(
      stdout,
      new RegExp(
        `^task ${toId(2)}, event 3: the chargeMicros of its item .* is 60001, the log makes 60000$`,
        "m",
      ),
    )
    assert.match(stdout, /^it differs$/m)
    assert.equal(code, 1)
  })

  test("ends with 1 for an event that was changed, whose charge has no evidence", async (t) => {
    const folder = await recordPastFolder(t)
    const sql = `update events set data = replace(data, '60000', '60001') where data like '%60000%'`
    alter(folder, `drop trigger events_refuse_update; ${sql}`)
    const { code, stdout } = await bill(folder, "ann", "2025-11", "--json")
    const { charges, findings, outcome, untold_charges: untold } = JSON.parse(stdout) as Bill
    assert.deepEqual(
      charges.map(({ task }) => task),
      [toId(1)],
    )
    assert.deepEqual([outcome, untold, findings[0]?.kind], ["differs", 1, "hash-differs"])
    assert.equal(code, 1)
    const words = await bill(folder, "ann", "2025-11")
    assert.match(words.stdout, /^items of the bill without a charge: 1$/m)
  })

  test("ends with 1 for a charge that is not what price and usage make, and shows both", async (t) => {
    const folder = await temporaryFolder(t)
    const storage = await createSqliteStorage({ folder: join(folder, "data") })
    const command = failAndCharge(20_001)
    await recordPastTasks(storage)
    const end = { at: NOVEMBER, command }
    await recordPastTask(storage, toId(9), { account: "eve", submittedAt: NOVEMBER, end })
    await storage.close()
    const { code, stdout } = await bill(folder, "eve", "2025-11", "--json")
    const { charges, recomputed_micros: recomputed } = JSON.parse(stdout) as Bill
    const [{ charge_micros: charged, finding, measured_micros: measured } = {}] = charges
    assert.deepEqual([charged, measured, recomputed], [20_001, 20_000, 20_000])
    assert.equal(finding?.kind, "charge-differs")
    assert.match(finding.words, /usage and price make 20000/)
    assert.equal(code, 1)
    const words = await bill(folder, "eve", "2025-11")
    assert.match(words.stdout, /^ {2}task \S+, event 3: the charge is 20001/m)
  })

  test("ends with 2 where the price is known to nobody", async (t) => {
    const folder = await temporaryFolder(t)
    const storage = await createSqliteStorage({ folder: join(folder, "data") })
    await recordPastTasks({ append: storage.append, keepDefinitions: async () => {} })
    await storage.close()
    const { code, stdout } = await bill(folder, "ann", "2025-11")
    assert.match(stdout, /^ {2}what it must cost can't be computed$/m)
    assert.match(stdout, /^recomputed +unknown$/m)
    assert.match(stdout, /^it could not be told$/m)
    assert.equal(code, 2)
  })
})

/** Takes `taken` texts and then is gone. */
function createReader(taken: number) {
  const texts: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      if (texts.length === taken) return done(Object.assign(new Error("gone"), { code: "EPIPE" }))
      texts.push(text)
      return done()
    },
  })
  output.on("error", () => {})
  return { output, texts }
}

test("a reader that goes away ends a bill, without words and without its verdict", async (t) => {
  const folder = await recordPastFolder(t)
  const { output, texts } = createReader(2)
  const errors: string[] = []
  let code = 0
  const context: CommandContext = {
    environment: {},
    folder,
    isTerminal: false,
    errorColumns: undefined,
    input: process.stdin,
    output,
    print: (text) => texts.push(text),
    printError: (text) => errors.push(text),
    exitWith: (given) => void (code = given),
    exitNow() {},
    waitForStop: () => Promise.resolve("SIGTERM"),
    onUncaughtError() {},
  }
  await runProgram(["audit", "bill", "ann", "2025-11"], context)
  assert.deepEqual([code, errors, texts.length], [2, [], 2])
})
