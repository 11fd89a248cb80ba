/**
 * The oracle itself: what is whole it finds whole, and each broken promise it names. Evidence is
 * made by a real engine over SQLite, and then falsified in one place at a time.
 */
import assert from "node:assert/strict"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import type { ScannedStream, Storage } from "@safelight/core"
import { createEngine, type EngineSettings } from "@safelight/engine"
import { createSignerKey } from "@safelight/proof/node"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { ACCOUNTS } from "./accounts.ts"
import { createActivity } from "./activity.ts"
import type { Creation } from "./creations.ts"
import type { ToldCancellation } from "./judge-cancellations.ts"
import { openLedger, readLedger } from "./ledger.ts"
import { judge, type Evidence } from "./oracle.ts"
import { INPUT_RETENTION_MS } from "./node-orders.ts"
import { ORIGIN } from "./node-signing.ts"
import { OLD_PRICES, PICTURE, ROUND_MODELS } from "./models.ts"
import { createPlan, toPrompt, type PlannedRequest } from "./requests.ts"
import { NO_FAULTS, SETTLE_MS, type RoundFaults } from "./round-faults.ts"
import { readStoredFacts } from "./stored-facts.ts"
import { NOTHING_TOLD, type Told } from "./told.ts"
import { createUpstreamChannel } from "./upstream-channel.ts"
import type { UpstreamScript } from "./upstream-script.ts"
import { createFilmInspector, createUpstreamMedia } from "./upstream-media.ts"
import { startUpstream } from "./upstream-server.ts"

const WELL: UpstreamScript = {
  create: () => "accepts",
  course: () => ({ ending: "completes", pollsBefore: 0 }),
  poll: () => "answers",
  output: () => "whole",
  cancel: () => "answers",
}

interface Scene extends AsyncDisposable {
  readonly evidence: Evidence
  /** The task of each request, from 1. */
  readonly tasks: readonly string[]
  readonly artifactsFolder: string
}

/** Proves again and again that nothing was created, until the task's short time is up. */
const AWAY: UpstreamScript = { ...WELL, create: () => "busy" }
const SHORT: Partial<EngineSettings> = { backoffMs: 50, endAfterMs: 500, maxAttempts: 1_000 }

/** Long ago: whoever was told of a purchase then has had the time to write it down. */
const BOUGHT_AT = 1_000_000

type Wish = (request: number, origin: string) => Pick<PlannedRequest, "model" | "parameters">

const A_PICTURE: Wish = (request) => ({
  model: PICTURE,
  parameters: { prompt: toPrompt(request), size: "square" },
})

async function setScene(
  requests: readonly number[],
  script = WELL,
  settings: Partial<EngineSettings> = {},
  wish = A_PICTURE,
): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const artifactsFolder = join(folder.path, "artifacts")
  await mkdir(artifactsFolder)
  const upstream = stack.use(await startUpstream(script, createActivity()))
  const storage = await createSqliteStorage({ folder: join(folder.path, "data"), mode: "serve" })
  stack.defer(() => storage.close())
  const artifacts = createFilesystemArtifacts({ folder: artifactsFolder })
  const { origin } = upstream
  const channels = [
    createUpstreamChannel({ origin, kind: "keyed", concurrency: 4, node: "node-1" }),
  ]
  const engine = stack.use(
    createEngine({
      storage,
      artifacts,
      channels,
      settings: { inputRetentionMs: INPUT_RETENTION_MS, ...settings },
      models: ROUND_MODELS,
      prices: OLD_PRICES,
      media: createUpstreamMedia(),
      inspector: createFilmInspector(),
    }),
  )
  engine.start()
  const path = join(folder.path, "ledger.ndjson")
  const ledger = stack.use(await openLedger(path))
  const tasks: string[] = []
  const plan = (request: number): PlannedRequest => ({
    ...createPlan({ seed: "1", accounts: ACCOUNTS, origin })(request),
    ...wish(request, origin),
  })
  for (const request of requests) {
    await ledger.asked(request)
    const { account, labels, model, parameters } = plan(request)
    const result = await engine.submit({ account, labels, model, parameters })
    assert.ok(result.kind === "submitted")
    await ledger.accepted(request, result.task.id)
    tasks.push(result.task.id)
    await engine.finished(result.task.id)
  }
  const creations = upstream.creations.list()
  const recorded = { ledger: await readLedger(path), storage, artifacts, creations }
  const evidence = {
    ...recorded,
    plan,
    told: NOTHING_TOLD,
    faults: NO_FAULTS,
    signingKey: createSignerKey(ORIGIN),
    logLines: [],
    streams: [],
    webhooks: [],
    accounts: ACCOUNTS,
    stored: await readStoredFacts(join(folder.path, "data"), storage),
  }
  const held = stack.move()
  return { evidence, tasks, artifactsFolder, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

function toldOf(cancellation: ToldCancellation): Told {
  return { ...NOTHING_TOLD, cancellations: [cancellation] }
}

/** The same storage, its streams seen through `change`. */
function through(storage: Storage, change: (stream: ScannedStream) => ScannedStream): Storage {
  return {
    ...storage,
    async scan(request) {
      const page = await storage.scan(request)
      return { ...page, streams: page.streams.map(change) }
    },
  }
}

describe("the oracle", () => {
  let scene: Scene
  before(async () => {
    scene = await setScene([1, 2])
  })
  after(() => scene[Symbol.asyncDispose]())

  async function assertNamed(changed: Partial<Evidence>, pattern: RegExp): Promise<void> {
    const { broken } = await judge({ ...scene.evidence, ...changed })
    assert.ok(
      broken.some((words) => pattern.test(words)),
      `${String(pattern)} is not among: ${broken.join("; ")}`,
    )
  }

  it("finds nothing where every promise was kept", async () => {
    const verdict = await judge(scene.evidence)
    assert.deepEqual(verdict.broken, [])
    assert.deepEqual([...verdict.outcomes], [["succeeded.available", 2]])
    assert.deepEqual([verdict.tasks, verdict.purchases], [2, 2])
  })

  it("names a task that was accepted and is not there", async () => {
    const { ledger } = scene.evidence
    const asked = new Set([...ledger.asked, 3])
    const accepted = new Map([...ledger.accepted, [3, new Set(["gone"])]])
    await assertNamed(
      { ledger: { ...ledger, asked, accepted } },
      /accepted task gone of request 3 is lost/,
    )
  })

  it("names an answer with another's task", async () => {
    const [first = ""] = scene.tasks
    const accepted = new Map([...scene.evidence.ledger.accepted, [2, new Set([first])]])
    await assertNamed({ ledger: { ...scene.evidence.ledger, accepted } }, /request 2 was answered/)
  })

  it("names a task that nobody asked for", async () => {
    const ledger = { ...scene.evidence.ledger, asked: new Set([1]) }
    await assertNamed({ ledger }, /nobody asked for/)
  })

  it("names a second purchase, whatever its key, unless the first came to nothing", async () => {
    const [first] = scene.evidence.creations
    assert.ok(first)
    const second: Creation = { ...first, key: `${first.task}.2`, operation: "second" }
    const { creations } = scene.evidence
    await assertNamed({ creations: [...creations, second] }, /was bought 2 times/)
    const untold: Creation = { ...second, ending: "produces-nothing", isEndTold: false, told: [] }
    await assertNamed({ creations: [...creations, untold] }, /was bought 2 times/)
    const told = { ...untold, isEndTold: true }
    const logLines = [`a late answer {"key":"${told.key}"}`]
    const { broken } = await judge({
      ...scene.evidence,
      creations: [...creations, told],
      logLines,
    })
    assert.deepEqual(broken, [])
  })

  it("keeps the events of a task about which a promise was broken, and of no other", async () => {
    const { creations } = scene.evidence
    const [first] = creations
    assert.ok(first)
    const second: Creation = { ...first, key: `${first.task}.2`, operation: "second" }
    const verdict = await judge({ ...scene.evidence, creations: [...creations, second] })
    assert.deepEqual([...verdict.histories.keys()], [first.task])
    assert.equal(verdict.histories.get(first.task)?.at(-1)?.type, "succeeded")
    const whole = await judge(scene.evidence)
    assert.equal(whole.histories.size, 0)
  })

  it("names a success without a purchase, and a purchase for no task", async () => {
    const [first, ...others] = scene.evidence.creations
    assert.ok(first)
    const stray = { ...first, task: "nobody's" }
    const creations = [...others, stray]
    await assertNamed({ creations }, /succeeded without a completed purchase/)
    await assertNamed({ creations }, /bought for unknown task nobody's/)
  })

  it("names a purchase that nobody can find, by its key or by what was told of it", async () => {
    const [first] = scene.evidence.creations
    assert.ok(first)
    const void2 = { ...first, key: `${first.task}.2`, operation: "void-2" } as const
    const unfound: Creation = { ...void2, ending: "produces-nothing", isEndTold: true }
    const creations = [...scene.evidence.creations, unfound]
    await assertNamed({ creations }, /and its key is nowhere/)
    const logLines = [`a line that names "${unfound.key}"`]
    await assertNamed({ creations, logLines }, /and told, and its name is nowhere/)
    const named = [`${logLines.join("")} and "void-2"`]
    const { broken } = await judge({ ...scene.evidence, creations, logLines: named })
    assert.deepEqual(broken, [])
  })

  it("names a success that is not charged, and one charged too much", async () => {
    const { storage } = scene.evidence
    const free = through(storage, (stream) => ({ ...stream, charge: undefined }))
    await assertNamed({ storage: free }, /is charged 0/)
    const dear = through(storage, (stream) => ({
      ...stream,
      charge: stream.charge && { ...stream.charge, chargeMicros: stream.charge.chargeMicros * 2 },
    }))
    await assertNamed({ storage: dear }, /is charged 20000/)
  })

  it("names what was told of a cancellation and does not hold", async () => {
    const [task = ""] = scene.tasks
    const told = { task, outcome: "too_late", status: "succeeded", at: Date.now() }
    const { broken } = await judge({ ...scene.evidence, told: toldOf(told) })
    assert.deepEqual(broken, [])
    for (const [change, pattern] of [
      [{ status: "failed" }, /told to be too_late and failed, and is succeeded/],
      [{ outcome: "stopped" }, /and nothing was stopped/],
      [{ outcome: "cancelled" }, /and was bought/],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one verdict after the other
      await assertNamed({ told: toldOf({ ...told, ...change }) }, pattern)
    }
    const creations = scene.evidence.creations.map((each) => ({ ...each, isStopped: true }))
    await assertNamed({ creations }, /succeeded without a completed purchase/)
  })

  it("takes work that was stopped for stopped, whatever it was about to make", async () => {
    const [task = ""] = scene.tasks
    const told = { task, outcome: "stopped", status: "succeeded", at: Date.now() }
    const { creations } = scene.evidence
    const [first] = creations
    assert.ok(first)
    const ended = { ending: "produces-nothing", isEndTold: true, operation: "void" } as const
    const stopped = { ...first, ...ended, isStopped: true }
    const verdicts = [stopped, { ...stopped, isStopped: false }].map(async (second) => {
      const evidence = { ...scene.evidence, creations: [...creations, second] }
      const { broken } = await judge({ ...evidence, told: toldOf(told) })
      return broken.some((words) => words.includes("nothing was stopped"))
    })
    assert.deepEqual(await Promise.all(verdicts), [false, true])
  })

  it("names a log that does not make its rows", async () => {
    const storage = through(scene.evidence.storage, (stream) => ({
      ...stream,
      events: stream.events.slice(0, -1),
    }))
    await assertNamed({ storage }, /the audit says differs/)
  })
})

describe("the oracle, of a task that failed though it was bought", () => {
  let scene: Scene
  before(async () => {
    scene = await setScene([1], AWAY, SHORT)
  })
  after(() => scene[Symbol.asyncDispose]())

  /** As if it had been bought all the same, and told to a node that lives. */
  async function judgeBought(changed: Partial<Creation>, faults: RoundFaults = NO_FAULTS) {
    const [task = ""] = scene.tasks
    const bought: Creation = {
      kind: "keyed",
      task,
      key: `${task}.1`,
      operation: "bought",
      ending: "completes",
      production: { pieces: [null], filmMs: 0, inputVideosMs: [] },
      words: "no",
      createdAt: BOUGHT_AT,
      completeAt: 0,
      pollsLeft: 0,
      isEndTold: true,
      isStopped: false,
      told: [{ node: "node-1", at: BOUGHT_AT }],
      ...changed,
    }
    const logLines = [`"${task}.1" "bought"`]
    const { broken } = await judge({ ...scene.evidence, creations: [bought], faults, logLines })
    return broken.filter((words) => words.includes("was bought for it"))
  }

  it("names the loss, whatever the channel makes of a key", async () => {
    for (const kind of ["keyed", "lookup", "unkeyed"] as const) {
      assert.equal((await judgeBought({ kind })).length, 1, kind)
    }
  })

  it("takes a lost answer or a dead caller for a reason only where a call can't be repeated", async () => {
    const dead = { ...NO_FAULTS, endedAt: new Map([["node-1", BOUGHT_AT + 10]]) }
    assert.equal((await judgeBought({ kind: "unkeyed", told: [] })).length, 0)
    assert.equal((await judgeBought({ kind: "unkeyed" }, dead)).length, 0)
    assert.equal((await judgeBought({ kind: "keyed", told: [] }, dead)).length, 1)
    assert.equal((await judgeBought({ kind: "lookup", told: [] }, dead)).length, 1)
  })

  it("counts the time in which the caller could rely on its storage, and no other", async () => {
    const endedAt = new Map([["node-1", BOUGHT_AT + SETTLE_MS + 100]])
    assert.equal((await judgeBought({ kind: "unkeyed" }, { ...NO_FAULTS, endedAt })).length, 1)
    const disturbances = [{ from: BOUGHT_AT + 100, to: BOUGHT_AT + 900 }]
    const disturbed = { ...NO_FAULTS, endedAt, disturbances }
    assert.equal((await judgeBought({ kind: "unkeyed" }, disturbed)).length, 0)
  })

  it("takes a forgotten purchase for a reason unless its name was told again", async () => {
    const forgotten = [{ from: BOUGHT_AT - 1, to: BOUGHT_AT + 1 }]
    const faults = { ...NO_FAULTS, forgotten }
    assert.equal((await judgeBought({}, faults)).length, 0)
    const told = [{ node: "node-1", at: BOUGHT_AT + 2 }]
    assert.equal((await judgeBought({ told }, faults)).length, 1)
  })

  it("takes time that ran ahead, and work that took too long, for reasons", async () => {
    assert.equal((await judgeBought({}, { ...NO_FAULTS, isTimeAhead: true })).length, 0)
    assert.equal((await judgeBought({ completeAt: Date.now() + 86_400_000 })).length, 0)
  })

  it("names a task that ended for want of time before its end", async () => {
    const { broken } = await judge(scene.evidence)
    assert.deepEqual(broken, [])
    const early = through(scene.evidence.storage, (stream) => ({
      ...stream,
      events: stream.events.map((event) => ({ ...event, at: Math.min(event.at, BOUGHT_AT) })),
    }))
    const judged = await judge({ ...scene.evidence, storage: early })
    assert.ok(judged.broken.some((words) => words.endsWith("ms before its end")))
  })
})

it("the oracle names a request that was made two tasks", async () => {
  await using scene = await setScene([1, 1])
  const { broken } = await judge(scene.evidence)
  assert.ok(broken.some((words) => words.startsWith("request 1 was made two tasks")))
})

it("the oracle names files that are not what they were", async () => {
  await using scene = await setScene([1, 2])
  const { artifactsFolder, evidence, tasks } = scene
  const names = await readdir(artifactsFolder, { recursive: true, withFileTypes: true })
  const files = names
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
  const [changed = "", removed = ""] = tasks.map((task) =>
    files.find((file) => file.includes(task)),
  )
  await writeFile(changed, "something else")
  await rm(removed)
  const { broken } = await judge(evidence)
  assert.ok(broken.includes(`the file of ${tasks[0]} is not what its manifest says`))
  assert.ok(
    broken.some((words) => words.startsWith(`artifact image_1 of ${tasks[1]} can't be read`)),
  )
})
