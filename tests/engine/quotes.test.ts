/** Knowing the price before: quotes, the most a task may cost, and what an account has left. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  defineModel,
  fields,
  referenceToVideo,
  text,
  type Quote,
  type SubmitRequest,
  type SubmitResult,
} from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { priceVersionOf } from "../support/price-version.ts"
import { completed, createScene, PRICES, SETTINGS, type Scene, brief } from "./support.ts"

const IMAGE_MICROS = 30_000
const PARAMETERS = { prompt: "a quiet harbour" }
const KEY = { key: "order-1", fingerprint: "a1".repeat(32) }

function createIdle(options: Partial<Parameters<typeof createScene>[0]> = {}): Scene {
  return createScene({ channels: [createScriptedChannel()], isStarted: false, ...options })
}

async function quote(
  { engine }: Scene,
  parameters: object = PARAMETERS,
  model = "model-a",
): Promise<Quote> {
  const result = await engine.quote({ account: "ada", model, parameters })
  assert.ok(result.kind === "quoted", JSON.stringify(result))
  return result.quote
}

function submit({ engine }: Scene, more: Partial<SubmitRequest> = {}): Promise<SubmitResult> {
  return engine.submit({ account: "ada", model: "model-a", parameters: PARAMETERS, ...more })
}

describe("a quote", () => {
  it("is what a submission reserves, by the same table, and says how it comes about", async () => {
    const scene = createIdle()
    for (const count of [1, 2, 4]) {
      const parameters = { ...PARAMETERS, count }
      const quoted = await quote(scene, parameters)
      const { priceVersion, reservationMicros } = await scene.submit(parameters)
      assert.equal(quoted.maxCostMicros, reservationMicros)
      assert.equal(quoted.priceVersion, priceVersion)
      assert.deepEqual(quoted.lines, [
        { item: "image", quantity: count, unitPriceMicros: IMAGE_MICROS },
      ])
    }
  })

  it("of a video counts the most that its output and its inputs can be billed as", async () => {
    const prices = [
      { version: "v", models: { [referenceToVideo.id]: { perVideoSecondMicros: 333 } } },
    ] as const
    const scene = createIdle({ models: [referenceToVideo], prices })
    const output = { item: "output_video", unitPriceMicros: 333 }
    const { lines, maxCostMicros } = await quote(scene, { duration: 5 }, referenceToVideo.id)
    assert.deepEqual(lines, [{ ...output, quantity: 5_000 }])
    assert.equal(maxCostMicros, 1_665)
    const edit = { video_urls: ["https://media.example/a.mp4"] }
    const edited = await quote(scene, edit, referenceToVideo.id)
    assert.deepEqual(edited.lines, [
      { ...output, quantity: 30_000 },
      { item: "input_video", unitPriceMicros: 333, quantity: 30_000 },
    ])
    assert.equal(edited.maxCostMicros, 19_980)
  })

  it("of a model with an arithmetic of its own is an amount without lines", async () => {
    const own = defineModel({
      id: "own",
      artifacts: "image",
      parameters: fields({ prompt: text(1) }),
      logged: [],
      estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
      charge: (_, { perImageMicros = 0 }) => perImageMicros + 7,
    })
    const prices = [{ version: "1", models: { own: { perImageMicros: 10 } } }] as const
    const { lines, maxCostMicros } = await quote(
      createIdle({ models: [own], prices }),
      PARAMETERS,
      "own",
    )
    assert.deepEqual([lines, maxCostMicros], [[], 17])
  })

  it("is refused as the submission would be", async () => {
    const picky = {
      ...createScriptedChannel(),
      accepts: () => ({ kind: "ineligible", reason: "not offered", param: "count" }) as const,
    }
    const scene = createIdle({ channels: [picky] })
    for (const request of [
      { account: "ada", model: "model-z", parameters: PARAMETERS },
      { account: "ada", model: "model-a", parameters: { count: 9, other: 1 } },
      { account: "ada", model: "model-a", parameters: PARAMETERS },
      { account: "", model: "model-a", parameters: PARAMETERS },
    ]) {
      const refused = await scene.engine.quote(request)
      assert.equal(refused.kind, "rejected")
      assert.deepEqual(refused, await scene.engine.submit(request))
    }
  })

  it("stores nothing, and names a whole second at which it ends", async () => {
    const scene = createIdle()
    const { validUntil } = await quote(scene)
    const endsAt = scene.clock.now() + SETTINGS.quoteMs
    assert.equal(validUntil, endsAt - (endsAt % 1_000))
    assert.deepEqual([scene.storage.events.size, scene.storage.inputs.size], [0, 0])
  })
})

describe("a submission that names a quote", () => {
  it("is a task at its price until its time is over, and none from then on", async () => {
    const scene = createIdle()
    const quoted = await quote(scene)
    await scene.clock.advance(quoted.validUntil - scene.clock.now() - 1)
    assert.equal(brief(await submit(scene, { quote: quoted })), "new")
    await scene.clock.advance(1)
    assert.equal(brief(await submit(scene, { quote: quoted })), "quote-expired")
    assert.equal(scene.storage.events.size, 1)
  })

  it("is refused where tasks are priced by another table, a cheaper one too", async () => {
    const before = createIdle()
    const quoted = await quote(before)
    const cheaper = { version: "2", models: { "model-a": { perImageMicros: 1 } } }
    const { clock, storage } = before
    const after = createIdle({ prices: [...PRICES, cheaper], clock, storage })
    assert.equal(brief(await submit(after, { quote: quoted })), "quote-expired")
    assert.equal(storage.events.size, 0)
    // The same request without the quote is priced by the new table.
    const result = await submit(after)
    assert.ok(result.kind === "submitted")
    assert.equal(result.task.priceVersion, priceVersionOf(cheaper, "model-a"))
  })

  it("is refused where its table was edited under its name, to a cheaper one too", async () => {
    const before = createIdle()
    const quoted = await quote(before)
    const edited = [{ version: "1", models: { "model-a": { perImageMicros: 1 } } }] as const
    const { clock, storage } = before
    const after = createIdle({ prices: edited, clock, storage })
    assert.equal(brief(await submit(after, { quote: quoted })), "quote-expired")
  })

  it("is refused where it could cost more than was quoted", async () => {
    const scene = createIdle()
    const quoted = await quote(scene)
    const four = { ...PARAMETERS, count: 4 }
    const result = await submit(scene, { quote: quoted, parameters: four })
    assert.deepEqual(result, {
      kind: "rejected",
      rejection: {
        code: "max-cost-exceeded",
        costMicros: 4 * IMAGE_MICROS,
        maxCostMicros: IMAGE_MICROS,
      },
    })
  })
})

describe("the most that a task may cost", () => {
  it("is kept to the last micro-unit, and what is refused leaves no trace", async () => {
    const channel = createScriptedChannel({ concurrency: 1, submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const refused = await submit(scene, { maxCostMicros: IMAGE_MICROS - 1, idempotency: KEY })
    assert.equal(brief(refused), "max-cost-exceeded")
    assert.deepEqual([scene.storage.events.size, scene.storage.inputs.size], [0, 0])
    assert.equal(channel.calls.length, 0)
    // The key and the channel's only permit are free.
    const result = await submit(scene, { maxCostMicros: IMAGE_MICROS, idempotency: KEY })
    assert.equal(brief(result), "new")
    assert.ok(result.kind === "submitted")
    const task = await scene.engine.finished(result.task.id)
    assert.equal(task?.chargeMicros, IMAGE_MICROS)
  })

  it("refuses everything where it is no number", async () => {
    const scene = createIdle()
    assert.equal(brief(await submit(scene, { maxCostMicros: Number.NaN })), "max-cost-exceeded")
  })

  it("does not refuse a replay: its task is there", async () => {
    const scene = createIdle()
    const quoted = await quote(scene)
    const named = { idempotency: KEY, quote: quoted }
    assert.equal(brief(await submit(scene, named)), "new")
    await scene.clock.advance(SETTINGS.quoteMs + 1)
    assert.equal(brief(await submit(scene, named)), "replayed")
    assert.equal(brief(await submit(scene, { idempotency: KEY, maxCostMicros: 0 })), "replayed")
    const other = { key: KEY.key, fingerprint: "b2".repeat(32) }
    const reused = await submit(scene, { idempotency: other, maxCostMicros: 0 })
    assert.equal(brief(reused), "idempotency-key-reused")
    assert.equal(scene.storage.events.size, 1)
  })

  it("comes before the budget", async () => {
    const scene = createIdle()
    const settings = { budgetMicros: 0 }
    await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings })
    assert.equal(brief(await submit(scene, { maxCostMicros: 0 })), "max-cost-exceeded")
  })
})

interface Counted {
  readonly scene: Scene
  /** The accounts whose totals were read. */
  readonly reads: readonly string[]
  /** What the balance says is reserved. */
  readonly read: (account?: string) => Promise<number>
}

/** A scene whose storage takes `durationMs` to read totals. */
function createCounted(durationMs: number): Counted {
  const scene = createIdle()
  const reads: string[] = []
  const { readTotals } = scene.storage
  scene.storage.readTotals = async (account) => {
    reads.push(account)
    await scene.clock.wait(durationMs)
    return readTotals(account)
  }
  async function read(account = "ada"): Promise<number> {
    let isRead = false
    const balance = scene.engine.readBalance(account).finally(() => (isRead = true))
    await scene.clock.advance(0)
    if (!isRead) await scene.clock.advance(durationMs)
    return (await balance).reservedMicros
  }
  return { scene, reads, read }
}

describe("a balance", () => {
  it("is the budget, what is held back and spent, and what is left", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const settings = { budgetMicros: 10 * IMAGE_MICROS }
    await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    assert.deepEqual(await scene.engine.readBalance("ada"), {
      budgetMicros: 10 * IMAGE_MICROS,
      reservedMicros: IMAGE_MICROS,
      chargedMicros: 0,
      leftMicros: 9 * IMAGE_MICROS,
    })
    await scene.engine.finished(id)
    const spent = { reservedMicros: 0, chargedMicros: IMAGE_MICROS }
    const balance = await scene.engine.readBalance("ada")
    assert.deepEqual(balance, {
      ...spent,
      budgetMicros: 10 * IMAGE_MICROS,
      leftMicros: 9 * IMAGE_MICROS,
    })
    const lowered = { budgetMicros: 1 }
    await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings: lowered })
    const overspent = { ...spent, budgetMicros: 1, leftMicros: 0 }
    assert.deepEqual(await scene.engine.readBalance("ada"), overspent)
  })

  it("without a budget has no rest, and an account that is not known has spent nothing", async () => {
    const scene = createIdle()
    await scene.submit({ ...PARAMETERS, count: 2 })
    const none = { budgetMicros: null, leftMicros: null, chargedMicros: 0 }
    const ada = await scene.engine.readBalance("ada")
    assert.deepEqual(ada, { ...none, reservedMicros: 2 * IMAGE_MICROS })
    assert.deepEqual(await scene.engine.readBalance("eve"), { ...none, reservedMicros: 0 })
    // One that has a record, with a budget and without, and has submitted nothing.
    for (const budgetMicros of [null, 70]) {
      const settings = { budgetMicros, runningTasks: 1 }
      await scene.storage.setAccount({ id: "bob", now: scene.clock.now(), settings })
      const bob = await scene.engine.readBalance("bob")
      const expected = { budgetMicros, leftMicros: budgetMicros, chargedMicros: 0 }
      assert.deepEqual(bob, { ...expected, reservedMicros: 0 })
    }
  })

  it("of an account without limits is counted each time while that is fast", async () => {
    const { reads, scene, read } = createCounted(49)
    assert.equal(await read(), 0)
    await scene.submit()
    assert.equal(await read(), IMAGE_MICROS)
    assert.equal(reads.length, 2)
  })

  it("of an account without limits is not counted again for a while where that is slow", async () => {
    const { reads, scene, read } = createCounted(200)
    assert.equal(await read(), 0)
    await scene.submit()
    await scene.clock.advance(1_999)
    assert.equal(await read(), 0)
    assert.deepEqual(reads, ["ada"])
    assert.equal(await read("eve"), 0)
    await scene.clock.advance(1)
    assert.equal(await read(), IMAGE_MICROS)
    assert.deepEqual(reads, ["ada", "eve", "ada"])
  })

  it("is never older than ten seconds", async () => {
    const { scene, read } = createCounted(60_000)
    await read()
    await scene.submit()
    await scene.clock.advance(9_999)
    assert.equal(await read(), 0)
    await scene.clock.advance(1)
    assert.equal(await read(), IMAGE_MICROS)
  })

  it("of an account with a limit of either kind is as things are, however slow the storage", async () => {
    for (const settings of [{ budgetMicros: 1_000_000 }, { unfinishedTasks: 5 }]) {
      const { scene, read } = createCounted(200)
      assert.equal(await read(), 0)
      await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings })
      for (const tasks of [1, 2]) {
        await scene.submit()
        assert.equal(await read(), tasks * IMAGE_MICROS)
      }
    }
  })
})

describe("the current prices", () => {
  it("are the newest table", () => {
    const newest = { version: "2", models: { "model-a": { perImageMicros: 1 } } }
    const { models, version } = createIdle({ prices: [...PRICES, newest] }).engine.currentPrices()
    assert.deepEqual({ version, models }, newest)
  })
})
