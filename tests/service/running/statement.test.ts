/**
 * What an account was charged, as it asks a service whose log is signed: charges of several models, what the operator
 * alone may know, and a database that somebody has changed.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import { createClient, type UsageStatement } from "@safelight/client"
import {
  chargeUsage,
  DEFAULT_PRICES,
  findPrice,
  type SubmitOutcome,
  type TaskCommand,
  type Usage,
} from "@safelight/core"
import {
  isRefusal,
  openEventProof,
  openTaskProof,
  parseVerifierKey,
  type OpenTaskProofOptions,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createService, DEFAULTS, type Service } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { runCommand } from "../command/command-process.ts"
import { NOVEMBER, PRICE, PRICE_VERSION, recordPastTask, toId } from "../command/past-tasks.ts"
import {
  edit,
  EDIT,
  PICTURE,
  pictures,
  recordTasks,
  VIDEO,
  video,
} from "../command/recorded-tasks.ts"

type Charge = UsageStatement["charges"][number]

const ORIGIN = "media.example/log"
const OTHER = "somebody-else"

/** One picture was billed for. */
const billed: SubmitOutcome = {
  kind: "refused",
  code: "no_output",
  billed: { images: 1, outputVideoMs: 0 },
}
const refused: SubmitOutcome = { kind: "refused", code: "no_output" }

const failAndCharge: TaskCommand = {
  kind: "fail",
  attempt: 1,
  code: "no_output",
  billed: { chargeMicros: 20_000, usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 } },
}

/** What `createHouse` records and is charged, in its order. */
const RECORDED: readonly {
  readonly model: string
  readonly outcome: string
  readonly usage: Usage
}[] = [
  {
    model: PICTURE,
    outcome: "succeeded",
    usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 },
  },
  { model: EDIT, outcome: "succeeded", usage: { images: 3, inputVideosMs: [], outputVideoMs: 0 } },
  {
    model: VIDEO,
    outcome: "succeeded",
    usage: { images: 0, inputVideosMs: [1_500], outputVideoMs: 5_005 },
  },
  { model: EDIT, outcome: "failed", usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 } },
]

/** Three at one moment of November, by ids that fall. */
const TIES = [30, 29, 28]
/** After the checkpoint. */
const LATER = 31
/** Its item says another amount. */
const CHANGED = 32
/** One of its events is not the one that was written. */
const DAMAGED = 33

interface House {
  readonly data: string
  readonly key: string
  /** Of several models, in the order in which they ended. */
  readonly recorded: readonly string[]
}

async function createHouse(folder: string): Promise<House> {
  const data = join(folder, "data")
  const recorded = await recordTasks(data, [
    { model: PICTURE, outcome: pictures(1) },
    edit(3),
    {
      model: VIDEO,
      parameters: { prompt: "fog", video_urls: ["https://media.example/a.mp4"] },
      outcome: video(5_005, [1_500]),
    },
    { model: EDIT, parameters: edit(1).parameters ?? {}, outcome: billed },
    { model: PICTURE, outcome: refused },
  ])
  await recordTasks(data, [edit(1)], { account: OTHER })
  await recordPast(data, [...TIES, CHANGED, DAMAGED])
  const made = await runCommand(["audit", "keys", "create", ORIGIN, "--json"], { folder })
  const { public_key: key } = JSON.parse(made.stdout) as { public_key: string }
  const environment = { SAFELIGHT_SIGNING_KEY_FILE: "safelight-signing.key" }
  const signed = await runCommand(["audit", "checkpoint"], { folder, environment })
  assert.equal(signed.code, 0, signed.stderr)
  await recordPast(data, [LATER])
  alter(data)
  return { data, key, recorded }
}

async function recordPast(data: string, places: readonly number[]): Promise<void> {
  const storage = await createSqliteStorage({ folder: data })
  if (PRICE !== undefined) await storage.keepDefinitions([PRICE])
  for (const place of places) {
    const at = NOVEMBER + (TIES.includes(place) ? 0 : place)
    const end = { at, command: failAndCharge }
    const task = { account: "default", submittedAt: NOVEMBER - 10, end }
    // oxlint-disable-next-line no-await-in-loop
    await recordPastTask(storage, toId(place), task)
  }
  await storage.close()
}

/** As somebody would who has the database. */
function alter(data: string): void {
  const database = new DatabaseSync(join(data, "safelight.db"))
  database.exec("drop trigger events_refuse_update")
  const { changes: rows } = database
    .prepare("update charges set charge_micros = 19999 where task = ?")
    .run(toId(CHANGED))
  const { changes: events } = database
    .prepare("update events set at = at + 1 where task = ? and version = 2")
    .run(toId(DAMAGED))
  database.close()
  assert.deepEqual([rows, events], [1, 1])
}

describe("the statement of an account", () => {
  const resources = new AsyncDisposableStack()
  let house: House
  let service: Service
  let apiKey: string

  before(async () => {
    const folder = resources.use(await createTemporaryFolder())
    house = await createHouse(folder.path)
    const { data, key } = house
    service = await createService({
      configuration: {
        ...DEFAULTS,
        port: 0,
        logLevel: "silent",
        data,
        // It shows what is signed, and signs nothing itself: no checkpoint comes meanwhile.
        checkpoints: { keys: [key] },
      },
      adopt: true,
    })
    resources.defer(() => service.stop())
    apiKey = await createAccountKey("default")
  })
  after(() => resources.disposeAsync())

  async function createAccountKey(account: string): Promise<string> {
    return (await createKey({ keys: service.storage, account, now: Date.now() })).key
  }

  const clientOf = (key: string) => createClient({ url: service.url, key })

  async function readPages(query: object = {}, key = apiKey): Promise<UsageStatement[]> {
    const pages: UsageStatement[] = []
    for await (const page of clientOf(key).statement(query)) pages.push(page)
    return pages
  }

  async function readCharges(query: object = {}, key = apiKey): Promise<Charge[]> {
    return (await readPages(query, key)).flatMap(({ charges }) => charges)
  }

  function openOptions(): OpenTaskProofOptions {
    const key = parseVerifierKey(sha256, house.key)
    assert.ok(!isRefusal(key))
    return { origin: ORIGIN, logKeys: [key], verify: verifyEd25519, sha256 }
  }

  it("has every charge once, by the moment at which its task ended, on pages of any size", async () => {
    const [picture, three, film, failed] = house.recorded
    const past = [...TIES.toReversed(), LATER, CHANGED, DAMAGED].map(toId)
    const expected = [...past, picture, three, film, failed]
    for (const limit of [1, 2, 3, 100]) {
      const pages = await readPages({ limit })
      assert.deepEqual(
        pages.flatMap(({ charges }) => charges.map(({ task_id: id }) => id)),
        expected,
      )
      assert.equal(pages.length, Math.ceil(expected.length / limit))
    }
  })

  for (const [place, { model, outcome, usage }] of RECORDED.entries()) {
    it(`says what was used for charge ${place}, and how the price makes it`, async () => {
      const charges = await readCharges()
      const charge = charges.find(({ task_id: id }) => id === house.recorded[place])
      assert.ok(charge !== undefined)
      const price = findPrice(DEFAULT_PRICES, DEFAULT_PRICES[0].version, model)
      const micros = chargeUsage(usage, price ?? assert.fail(`no price of ${model}`), {})
      assert.ok(micros > 0)
      const { charge_micros: charged, measured_micros: measured } = charge
      assert.deepEqual(
        [charge.model, charge.outcome, charged, measured, toMicros(charge), charge.finding],
        [model, outcome, micros, micros, micros, null],
      )
      const { images, input_videos_ms: inputs, output_video_ms: output } = charge.usage ?? {}
      assert.deepEqual({ images, inputVideosMs: inputs, outputVideoMs: output }, usage)
      assert.match(charge.price_digest ?? "", /^[0-9a-f]{64}$/)
    })
  }

  it("names the price by the digest of its definition, which the database keeps", async () => {
    const [past] = await readCharges()
    assert.deepEqual(
      [past?.price_version, past?.price_digest, past?.price, past?.limit_micros],
      [PRICE_VERSION, PRICE?.digest, { per_image_micros: 20_000 }, 80_000],
    )
  })

  it("adds up to the account's usage, of all time and of a month, whatever was changed", async () => {
    const [from, to] = [NOVEMBER / 1_000, Date.UTC(2025, 11) / 1_000]
    for (const [query, period] of [
      [{ limit: 3 }, {}],
      [{ month: "2025-11" }, { from, to }],
      [
        { from, to: from + 1 },
        { from, to: from + 1 },
      ],
      [{ month: "2025-10" }, { from: Date.UTC(2025, 9) / 1_000, to: from }],
    ] as const) {
      const usage = await clientOf(apiKey).usage(period)
      const pages = await readPages(query)
      const charges = pages.flatMap((page) => page.charges)
      assert.deepEqual(
        [charges.length, sumOf(charges.map((each) => each.charge_micros))],
        [usage.tasks, usage.charge_micros],
      )
      for (const group of usage.charges) {
        const own = charges.filter(
          (each) => each.model === group.model && each.price_version === group.price_version,
        )
        assert.equal(own.length, group.tasks)
        assert.equal(sumOf(own.map((each) => each.charge_micros)), group.charge_micros)
        // An item that nothing proves has no usage.
        const told = own.filter((each) => each.usage !== null)
        const images = sumOf(told.map((each) => each.usage?.images ?? 0))
        assert.equal(images + own.length - told.length, group.images)
        for (const name of ["output_video_ms", "billed_input_ms"] as const) {
          assert.equal(sumOf(told.map((each) => each.usage?.[name] ?? 0)), group[name])
        }
      }
      if ("from" in period) {
        assert.deepEqual([pages[0]?.from, pages[0]?.to], [period.from, period.to])
      }
    }
    assert.equal((await readCharges({ month: "2025-11" })).length, 6)
  })

  it("proves each event under the one checkpoint of its page, and says what is younger", async () => {
    let proven = 0
    for (const { charges, checkpoint } of await readPages({ proofs: true, limit: 4 })) {
      for (const { charge_micros: micros, event, finding, proof, task_id: task } of charges) {
        if ([LATER, DAMAGED].map(toId).includes(task)) {
          assert.equal(proof, null)
          continue
        }
        const claim = { checkpoint, task, previousHash: event?.previous_hash, event: proof }
        const opened = await openEventProof(claim, openOptions())
        assert.ok(!isRefusal(opened), JSON.stringify(opened))
        assert.deepEqual([opened.event.version, opened.event.hash], [event?.version, event?.hash])
        const { chargeMicros } = JSON.parse(opened.event.data) as { chargeMicros: number }
        assert.equal(chargeMicros === micros, finding === null)
        proven += 1
      }
    }
    assert.equal(proven, 8)
    const [charge] = await readCharges()
    assert.ok(charge !== undefined && !("proof" in charge))
  })

  it("names the events that the proof of a task has", async () => {
    const headers = { authorization: `Bearer ${apiKey}` }
    for (const { event, proof, task_id: task } of await readCharges({ proofs: true })) {
      if (proof == null) continue
      const answer = await fetch(`${service.url}/v1/tasks/${task}/proof`, { headers })
      const opened = await openTaskProof(await answer.json(), openOptions())
      assert.ok(!isRefusal(opened), JSON.stringify(opened))
      const own = opened.events.find(({ version }) => version === event?.version)
      assert.deepEqual(proof, own)
      assert.equal(opened.events.at((event?.version ?? 0) - 2)?.hash, event?.previous_hash)
    }
  })

  it("tells what somebody has changed in the item that it is about, and answers the others", async () => {
    const charges = await readCharges({ proofs: true })
    const found = charges.filter(({ finding }) => finding !== null)
    assert.deepEqual(
      found.map((each) => [
        each.task_id,
        each.charge_micros,
        each.measured_micros,
        each.finding?.code,
        each.finding?.expected_micros,
        each.event === null,
      ]),
      [
        [toId(CHANGED), 19_999, 20_000, "item_differs", 20_000, false],
        [toId(DAMAGED), 20_000, null, "log_damaged", null, true],
      ],
    )
  })

  it("is another account's for another key, and has nothing of the first", async () => {
    const other = await createAccountKey(OTHER)
    const [own, more] = await readCharges({}, other)
    assert.deepEqual([own?.model, more], [EDIT, undefined])
    // A cursor of somebody else's list is a moment, and no way in.
    const headers = { authorization: `Bearer ${other}` }
    const { next_cursor: cursor } = (await readPages({ limit: 1 }))[0] ?? {}
    const path = `/v1/usage/statement?cursor=${cursor}`
    const page = (await (
      await fetch(`${service.url}${path}`, { headers })
    ).json()) as UsageStatement
    assert.deepEqual(
      page.charges.map(({ task_id: id }) => id),
      [own?.task_id],
    )
    assert.deepEqual(await readCharges({}, await createAccountKey("nobody")), [])
  })

  it("has nothing in it that is the operator's alone", async () => {
    const headers = { authorization: `Bearer ${apiKey}` }
    const path = "/v1/usage/statement?proofs=true&limit=100"
    const text = await (await fetch(`${service.url}${path}`, { headers })).text()
    assert.match(text, /"proof":\{/)
    for (const word of [
      "cost",
      "lease",
      "locator",
      "upstreamKey",
      "operation",
      "salt",
      "channel",
    ]) {
      assert.ok(!text.includes(word), word)
    }
    assert.ok(!text.includes(OTHER))
  })
})

/** The lines of a charge, added up: none of these has factors. */
function toMicros({ lines }: Charge): number {
  const amounts = lines.map((line) => {
    const { images = 0, duration_ms: ms = 0, unit_price_micros: price } = line
    return images * price + (ms * price) / 1_000
  })
  return Math.ceil(sumOf(amounts))
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0)
}
