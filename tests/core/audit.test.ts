/**
 * The audit over a log in memory: a whole one is found whole, and each kind of damage is found as
 * exactly what it is. Damage is done to the stored rows by hand, as a fault or a forger would.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate } from "node:timers/promises"
import {
  AUDIT_KINDS,
  createAudit,
  DEFAULTS,
  describeFinding,
  isObstacle,
  type AuditOptions,
  type AuditProgress,
  type AuditReport,
  type Finding,
} from "@safelight/audit"
import {
  DEFAULT_PRICES,
  fromSnapshot,
  type Json,
  MAX_CHARGE_MICROS,
  MODELS,
  SafelightError,
  PROJECTION,
  toCanonicalJson,
  toTaskRow,
  type ChargeRow,
  type ManifestEntry,
  type OutcomeRow,
  type StoredEvent,
  type Task,
} from "@safelight/core"
import * as fc from "fast-check"
import { checkAsync } from "./support/property.ts"
import {
  alter,
  createLog,
  createSampleLog,
  createStream,
  dispatch,
  EDIT,
  reseal,
  streamOf,
  submission,
  success,
  type SampleLog,
  type SampleStream,
  VIDEO,
} from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

const optionsOf = (storage: AuditOptions["storage"]): AuditOptions => ({
  storage,
  digest: sha256,
  prices: DEFAULT_PRICES,
  models: MODELS,
})

const verify = (log: SampleLog): Promise<AuditReport> => createAudit(optionsOf(log)).verify()
const replay = (log: SampleLog): Promise<AuditReport> => createAudit(optionsOf(log)).replay()

function withData(event: StoredEvent | undefined, change: object): string {
  return toCanonicalJson({ ...(JSON.parse(event?.data ?? "{}") as object), ...change })
}

function withSealed(event: StoredEvent | undefined, change: object): string {
  return toCanonicalJson({ ...(JSON.parse(event?.sealed ?? "{}") as object), ...change })
}

/** Of `accepted`. */
function toSealed(operation: string): string {
  return `{"operation":${operation},"salt":"${"a".repeat(22)}"}`
}

function withSnapshot(stream: SampleStream, change: Partial<Task>): void {
  if (stream.row === undefined) return
  const task = { ...fromSnapshot(stream.row.snapshot), ...change }
  stream.row = { ...stream.row, snapshot: toTaskRow(task, stream.row.hash).snapshot }
}

function withCharge(stream: SampleStream, change: Partial<ChargeRow>): void {
  if (stream.charge !== undefined) stream.charge = { ...stream.charge, ...change }
}

function withOutcome(stream: SampleStream, change: Partial<OutcomeRow>): void {
  stream.outcomes = stream.outcomes.map((row) => ({ ...row, ...change }))
}

const differingCharges = (task: string, version: number, fields: readonly (keyof ChargeRow)[]) =>
  fields.map((field) => ["charge-row-differs", task, version, field])

/** A finding without its facts: kind, task, version, and the account, key and field it may have. */
function brief(finding: Finding): readonly unknown[] {
  if ("account" in finding) return [finding.kind, finding.account, finding.field]
  const key = "key" in finding ? [finding.key] : []
  const attempt = "attempt" in finding ? [finding.attempt] : []
  const field = "field" in finding ? [finding.field] : []
  return [finding.kind, finding.task, finding.version, ...key, ...attempt, ...field]
}

describe("a whole log", () => {
  it("is whole to both audits, which count tasks and events", async () => {
    for (const audit of [verify, replay]) {
      const { outcome, tasks, events, findings, findingCount } = await audit(createSampleLog())
      assert.deepEqual(
        { outcome, tasks, events, findings, findingCount },
        {
          outcome: "whole",
          tasks: 10,
          events: 36,
          findings: [],
          findingCount: 0,
        },
      )
    }
  })

  it("adds up to the bill, by account", async () => {
    // Edits: 2 × 20,000 twice, and one billed failure; video: 5.005 s + 4 s at 100,000 a second.
    const expected = { total: 1_000_500, byAccount: { ann: 100_000, ben: 900_500 } }
    assert.deepEqual((await verify(createSampleLog())).chargeMicros, expected)
    assert.deepEqual((await replay(createSampleLog())).chargeMicros, expected)
  })

  it("is whole where another release projected a row, which is counted and not read", async () => {
    const log = createSampleLog()
    const [stream] = log.streams
    assert.ok(stream?.row !== undefined)
    const { priceVersion, ...older } = fromSnapshot(stream.row.snapshot)
    assert.equal(priceVersion, "default-1")
    const snapshot = toCanonicalJson({ ...older, projection: PROJECTION - 1 })
    stream.row = { ...stream.row, snapshot }
    const { foreignRows, outcome } = await replay(log)
    assert.deepEqual([outcome, foreignRows], ["whole", 1])
  })

  it("is whole where a row has its members in the order of another release", async () => {
    const log = createSampleLog()
    for (const stream of log.streams) {
      const { row } = stream
      assert.ok(row !== undefined)
      const snapshot = toCanonicalJson(JSON.parse(row.snapshot) as Json)
      assert.notEqual(snapshot, row.snapshot)
      stream.row = { ...row, snapshot }
    }
    const { foreignRows, outcome } = await replay(log)
    assert.deepEqual([outcome, foreignRows], ["whole", 0])
  })

  it("has no row that lacks a member of its own projection", async () => {
    const log = createSampleLog()
    const [stream] = log.streams
    assert.ok(stream?.row !== undefined)
    const { priceVersion: _, ...less } = JSON.parse(stream.row.snapshot) as Task
    stream.row = { ...stream.row, snapshot: toCanonicalJson(less) }
    const { findings, foreignRows } = await replay(log)
    const [finding] = findings
    assert.ok(finding?.kind === "row-differs")
    assert.deepEqual([finding.field, foreignRows], ["snapshot.priceVersion", 0])
  })

  it("is judged stream by stream, also where a page has many", async () => {
    const log = createSampleLog()
    // Without its beginning nobody knows the account: it is not that of the stream before.
    const headless = streamOf(log, "task-1")
    headless.events = headless.events.slice(1)
    const { findings, chargeMicros } = await verify(log)
    assert.deepEqual(findings.map(brief), [
      ["version-gap", "task-1", 2],
      ["hash-differs", "task-1", 2],
    ])
    assert.deepEqual(chargeMicros.byAccount, { ann: 100_000, "": 900_500, ben: 0 })
  })

  it("names the version of an illegal event, also behind a gap", async () => {
    const log = createSampleLog()
    const stream = streamOf(log, "task-0")
    stream.events = stream.events.filter(({ version }) => version !== 2)
    const { findings } = await replay(log)
    assert.deepEqual(findings.map(brief), [["event-illegal", "task-0", 3]])
  })

  it("may be empty", async () => {
    for (const audit of [verify, replay]) {
      const { outcome, tasks, chargeMicros } = await audit(createLog([]))
      assert.deepEqual([outcome, tasks, chargeMicros], ["whole", 0, { total: 0, byAccount: {} }])
    }
  })

  it("may have an account with any name", async () => {
    const stream = createStream("task-1", [
      submission("__proto__", EDIT),
      dispatch(),
      success(EDIT, { images: 1, inputVideosMs: [], outputVideoMs: 0 }),
    ])
    const { chargeMicros } = await replay(createLog([stream]))
    assert.deepEqual(Object.entries(chargeMicros.byAccount), [["__proto__", 20_000]])
  })
})

describe("an audit", () => {
  it("reads page by page, whatever the page, and reports after each", async (t) => {
    const pages = fc.asyncProperty(fc.integer({ min: 1, max: 12 }), async (pageStreams) => {
      const log = createSampleLog()
      alter(streamOf(log, "task-7"), 2, { hash: "0".repeat(64) })
      const progress: AuditProgress[] = []
      const audit = createAudit({ ...optionsOf(log), pageStreams })
      const report = await audit.verify((each) => progress.push(each))
      assert.equal(log.requests.length, Math.ceil(10 / pageStreams))
      assert.ok(log.requests.every(({ limit }) => limit === pageStreams))
      assert.equal(progress.length, log.requests.length)
      const { tasks, events, findingCount } = report
      assert.deepEqual(progress.at(-1), { tasks, events, findingCount })
      assert.deepEqual([tasks, events, findingCount], [10, 36, 2])
    })
    await checkAsync(t, pages, 12)
  })

  it("reads one page before it is asked for, and none once it is given up", async () => {
    for (const kind of AUDIT_KINDS) {
      const log = createSampleLog()
      const audit = createAudit({ ...optionsOf(log), pageStreams: 1 })
      const steps = audit.examine(kind)
      assert.equal(log.requests.length, 0)
      const first = await steps.next()
      assert.deepEqual([first.done, first.value.tasks, log.requests.length], [false, 1, 2])
      await steps.next()
      assert.equal(log.requests.length, 3)
      await steps.return(await audit[kind]())
      const asked = log.requests.length
      assert.deepEqual(await steps.next(), { done: true, value: undefined })
      assert.equal(log.requests.length, asked)
    }
  })

  it("is given up without a word of the page that could not be read ahead", async () => {
    const log = createSampleLog()
    const message = "the disk is gone"
    const failed = Promise.withResolvers<void>()
    const storage: AuditOptions["storage"] = {
      ...log,
      async scan(request) {
        if (request.after === "") return log.scan(request)
        failed.resolve()
        throw new SafelightError({ code: "storage-unavailable", message })
      },
    }
    const rejections: unknown[] = []
    const note = (reason: unknown): void => void rejections.push(reason)
    process.on("unhandledRejection", note)
    try {
      const steps = createAudit({ ...optionsOf(storage), pageStreams: 1 }).examine("verify")
      assert.equal((await steps.next()).value.tasks, 1)
      await failed.promise
      await steps.return(await createAudit(optionsOf(log)).verify())
      await setImmediate()
      assert.deepEqual(rejections, [])
    } finally {
      process.off("unhandledRejection", note)
    }
  })

  it("keeps the first findings and counts all", async () => {
    const log = createSampleLog()
    for (const stream of log.streams) alter(stream, 1, { hash: "f".repeat(64) })
    const all = await verify(log)
    const some = await createAudit({ ...optionsOf(log), keptFindings: 3 }).verify()
    assert.ok(all.findingCount > 10)
    assert.equal(some.findingCount, all.findingCount)
    assert.deepEqual(some.findings, all.findings.slice(0, 3))
    assert.equal(DEFAULTS.keptFindings, 100)
  })

  it("refuses a page or a number of findings that is no positive integer, naming it", () => {
    for (const name of ["pageStreams", "keptFindings"] as const) {
      for (const value of [0, -1, 1.5, Number.NaN]) {
        const expected = { code: "invalid-configuration", message: new RegExp(`^${name} `) }
        assert.throws(() => createAudit({ ...optionsOf(createLog([])), [name]: value }), expected)
      }
    }
  })

  it("can't tell where the storage fails, and says how far it came", async () => {
    const log = createSampleLog()
    const storage: AuditOptions["storage"] = {
      scan(request) {
        if (request.after === "") return log.scan(request)
        const message = "the disk is gone"
        return Promise.reject(new SafelightError({ code: "storage-unavailable", message }))
      },
      scanTotals: () => log.scanTotals(),
      findDefinition: (digest) => log.findDefinition(digest),
    }
    const audit = createAudit({ ...optionsOf(storage), pageStreams: 4 })
    for (const report of [await audit.verify(), await audit.replay()]) {
      assert.equal(report.outcome, "could-not-tell")
      assert.equal(report.tasks, 4)
      assert.deepEqual(report.findings, [
        {
          kind: "storage-failed",
          task: "task-3",
          version: null,
          expected: null,
          found: "storage-unavailable: the disk is gone",
        },
      ])
    }
  })

  it("throws on a fault that is no failure of the outside", async () => {
    const fail = (): Promise<never> => Promise.reject(new TypeError("a bug"))
    const log = createSampleLog()
    await assert.rejects(createAudit(optionsOf({ ...log, scan: fail })).verify(), TypeError)
    await assert.rejects(createAudit(optionsOf({ ...log, scanTotals: fail })).replay(), TypeError)
  })

  it("says that something differs even where it could not judge everything", async () => {
    const log = createSampleLog()
    reseal(streamOf(log, "task-0"), 5, { type: "celebrated" })
    assert.equal((await verify(log)).outcome, "could-not-tell")
    alter(streamOf(log, "task-1"), 1, { hash: "0".repeat(64) })
    assert.equal((await verify(log)).outcome, "differs")
  })
})

type Damage = (log: SampleLog) => void
type Expected = readonly (readonly unknown[])[]
type Case = readonly [title: string, damage: Damage, expected: Expected]

function describeDamage(
  audit: (log: SampleLog) => Promise<AuditReport>,
  rows: readonly Case[],
): void {
  for (const [title, damage, expected] of rows) {
    it(`finds ${title}`, async () => {
      const log = createSampleLog()
      damage(log)
      const { findings, outcome } = await audit(log)
      assert.deepEqual(findings.map(brief), expected)
      const isJudged = !findings.some(isObstacle)
      assert.equal(outcome, isJudged ? "differs" : "could-not-tell")
      for (const finding of findings)
        assert.match(describeFinding(finding), /^(task|account) \S+.*: .+/)
    })
  }
}

const task0 = (log: SampleLog): SampleStream => streamOf(log, "task-0")

describe("verify", () => {
  describeDamage(verify, [
    [
      "an altered amount",
      (log) => alter(task0(log), 5, { data: withData(task0(log).events[4], { chargeMicros: 1 }) }),
      [["hash-differs", "task-0", 5]],
    ],
    [
      "an altered type",
      (log) => alter(task0(log), 4, { type: "doubted" }),
      [
        ["hash-differs", "task-0", 4],
        ["event-unreadable", "task-0", 4],
      ],
    ],
    [
      "an altered cost, which is sealed",
      (log) => alter(task0(log), 5, { sealed: withSealed(task0(log).events[4], { cost: "none" }) }),
      [["hash-differs", "task-0", 5]],
    ],
    [
      "another salt",
      (log) => {
        const salt = "a".repeat(22)
        alter(task0(log), 3, { sealed: withSealed(task0(log).events[2], { salt }) })
      },
      [["hash-differs", "task-0", 3]],
    ],
    [
      "a sealed text that was taken away",
      (log) => alter(task0(log), 5, { sealed: null }),
      [
        ["hash-differs", "task-0", 5],
        ["event-unreadable", "task-0", 5],
      ],
    ],
    [
      "a sealed text where nothing is sealed, though sealed anew",
      (log) => reseal(task0(log), 4, { sealed: task0(log).events[2]?.sealed ?? "" }),
      [["event-unreadable", "task-0", 4]],
    ],
    [
      "two sealed texts that were exchanged",
      (log) => {
        const other = streamOf(log, "task-3")
        const [one, two] = [task0(log).events[1]?.sealed, other.events[1]?.sealed]
        alter(task0(log), 2, { sealed: two ?? null })
        alter(other, 2, { sealed: one ?? null })
      },
      [
        ["hash-differs", "task-0", 2],
        ["hash-differs", "task-3", 2],
      ],
    ],
    [
      "a cost that was moved to where its account sees it, though sealed anew",
      (log) => {
        const event = task0(log).events[4]
        const sealed = withSealed(event, { cost: undefined })
        reseal(task0(log), 5, { data: withData(event, { cost: "unknown" }), sealed })
      },
      [["event-unreadable", "task-0", 5]],
    ],
    [
      "a space in a sealed text, though sealed anew",
      (log) => reseal(task0(log), 5, { sealed: `${task0(log).events[4]?.sealed} ` }),
      [["data-not-canonical", "task-0", 5]],
    ],
    [
      "another moment",
      (log) => alter(task0(log), 3, { at: 1_021 }),
      [["hash-differs", "task-0", 3]],
    ],
    [
      "an altered hash, of this event and the next",
      (log) => alter(task0(log), 2, { hash: "0".repeat(64) }),
      [
        ["hash-differs", "task-0", 2],
        ["hash-differs", "task-0", 3],
      ],
    ],
    [
      "a hash that is none",
      (log) => alter(task0(log), 2, { hash: "zz" }),
      [["hash-differs", "task-0", 2]],
    ],
    [
      "a hash in capital letters",
      (log) => alter(task0(log), 2, { hash: task0(log).events[1]?.hash.toUpperCase() ?? "" }),
      [["hash-differs", "task-0", 2]],
    ],
    [
      "an event cut out",
      (log) => void task0(log).events.splice(2, 1),
      [
        ["version-gap", "task-0", 4],
        ["hash-differs", "task-0", 4],
      ],
    ],
    [
      "the first event cut off",
      (log) => void task0(log).events.shift(),
      [
        ["version-gap", "task-0", 2],
        ["hash-differs", "task-0", 2],
      ],
    ],
    [
      "an event twice",
      (log) => void task0(log).events.splice(2, 0, task0(log).events[1] as StoredEvent),
      [
        ["version-gap", "task-0", 2],
        ["hash-differs", "task-0", 2],
      ],
    ],
    [
      "two events exchanged",
      (log) => {
        const [first, second, third, ...rest] = task0(log).events
        task0(log).events = [first, third, second, ...rest] as StoredEvent[]
      },
      [
        ["version-gap", "task-0", 3],
        ["hash-differs", "task-0", 3],
        ["version-gap", "task-0", 2],
        ["hash-differs", "task-0", 2],
        ["moment-falls", "task-0", 2],
        ["version-gap", "task-0", 4],
        ["hash-differs", "task-0", 4],
      ],
    ],
    [
      "the events of another task",
      (log) => {
        task0(log).events = streamOf(log, "task-1").events.map((event) => ({
          ...event,
          task: "task-0",
        }))
      },
      [1, 2, 3, 4].map((version) => ["hash-differs", "task-0", version]),
    ],
    [
      "a moment that falls, though sealed anew",
      (log) => reseal(task0(log), 3, { at: 1_009 }),
      [["moment-falls", "task-0", 3]],
    ],
    [
      "a moment that is no whole number, though sealed anew",
      (log) => reseal(task0(log), 3, { at: 1_020.5 }),
      [["moment-falls", "task-0", 3]],
    ],
    [
      "a moment before the epoch, though sealed anew",
      (log) => reseal(task0(log), 1, { at: -1 }),
      [["moment-falls", "task-0", 1]],
    ],
    [
      "a blank in the data, though sealed anew",
      (log) => reseal(task0(log), 4, { data: '{"progress": 40}' }),
      [["data-not-canonical", "task-0", 4]],
    ],
    [
      "a member twice, though sealed anew",
      (log) => reseal(task0(log), 4, { data: '{"progress":1,"progress":40}' }),
      [["data-not-canonical", "task-0", 4]],
    ],
    [
      "a lone surrogate, though sealed anew",
      (log) => reseal(task0(log), 3, { sealed: toSealed('"\\ud800"') }),
      [["data-not-canonical", "task-0", 3]],
    ],
    [
      "data that is not JSON, though sealed anew",
      (log) => reseal(task0(log), 4, { data: "{" }),
      [
        ["data-not-canonical", "task-0", 4],
        ["event-unreadable", "task-0", 4],
      ],
    ],
    [
      "data nested beyond measure, though sealed anew",
      (log) =>
        reseal(task0(log), 3, { sealed: toSealed("[".repeat(200_000) + "]".repeat(200_000)) }),
      [
        ["data-not-canonical", "task-0", 3],
        ["event-unreadable", "task-0", 3],
      ],
    ],
    [
      "data that does not fit its schema, though sealed anew",
      (log) => reseal(task0(log), 4, { data: '{"progress":100}' }),
      [["event-unreadable", "task-0", 4]],
    ],
    [
      "a member too many, though sealed anew",
      (log) => reseal(task0(log), 4, { data: '{"note":"","progress":40}' }),
      [["event-unreadable", "task-0", 4]],
    ],
    [
      "an unknown type, though sealed anew",
      (log) => reseal(task0(log), 4, { type: "celebrated" }),
      [["event-unknown", "task-0", 4]],
    ],
    [
      "a later schema, though sealed anew",
      (log) => reseal(task0(log), 4, { schema: 2 }),
      [["event-unknown", "task-0", 4]],
    ],
    [
      "damage in several tasks",
      (log) => {
        alter(task0(log), 1, { schema: 0 })
        alter(streamOf(log, "task-9"), 2, { at: 0 })
      },
      [
        ["hash-differs", "task-0", 1],
        ["event-unreadable", "task-0", 1],
        ["hash-differs", "task-9", 2],
        ["moment-falls", "task-9", 2],
      ],
    ],
  ])

  it("finds any single character changed in any stored text", async (t) => {
    const place = fc.tuple(
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.constantFrom("data", "sealed", "type", "task", "hash"),
    )
    const property = fc.asyncProperty(
      place,
      async ([whichStream, whichEvent, whichPlace, field]) => {
        const log = createSampleLog()
        const stream = log.streams[whichStream % log.streams.length] as SampleStream
        const event = stream.events[whichEvent % stream.events.length] as StoredEvent
        const text = event[field as "sealed"] ?? "\0"
        const at = whichPlace % text.length
        const changed = `${text.slice(0, at)}${text[at] === "x" ? "y" : "x"}${text.slice(at + 1)}`
        alter(stream, event.version, { [field]: changed })
        const { outcome, findings } = await verify(log)
        assert.equal(outcome, "differs")
        const first = findings.find(({ kind }) => kind === "hash-differs")
        assert.equal(first?.version, event.version)
      },
    )
    await checkAsync(t, property, 200)
  })

  it("shows what was expected and what was found", async () => {
    const log = createSampleLog()
    const [, second] = task0(log).events
    alter(task0(log), 2, { hash: "0".repeat(64) })
    const { findings } = await verify(log)
    assert.equal(findings[0]?.expected, second?.hash)
    assert.equal(findings[0]?.found, "0".repeat(64))
    assert.equal(
      describeFinding(findings[0]),
      `task task-0, event 2: the hash is ${"0".repeat(64)}, the stored text makes ${second?.hash}`,
    )
  })

  it("shortens what it quotes", async () => {
    const log = createSampleLog()
    reseal(task0(log), 3, { data: `{"operation":"${"a".repeat(1_000_000)}" }` })
    const { findings } = await verify(log)
    const { expected, found } = findings[0] as Finding
    assert.ok(String(expected).length < 250 && String(found).length < 250)
    assert.ok(String(found).endsWith('a" }'))
  })
})

const ARTIFACTS_DIFFER: Expected = [["row-differs", "task-0", 1, "snapshot.artifacts"]]

/** As the row of task-0 has them. */
function changeArtifacts(
  log: SampleLog,
  change: (first: ManifestEntry, second: ManifestEntry) => readonly ManifestEntry[],
): void {
  const stream = task0(log)
  assert.ok(stream.row)
  const task = fromSnapshot(stream.row.snapshot)
  const [first, second] = task.artifacts
  assert.ok(first && second)
  const changed = { ...task, artifacts: change(first, second) }
  stream.row = toTaskRow(changed, stream.row.hash)
}

describe("replay", () => {
  describeDamage(replay, [
    [
      "a row that is gone",
      (log) => void (task0(log).row = undefined),
      [["row-missing", "task-0", null]],
    ],
    [
      "a row without events",
      (log) => void (task0(log).events = []),
      [
        ["row-orphaned", "task-0", null],
        ["charge-row-orphaned", "task-0", null],
        ["outcome-orphaned", "task-0", null, 1],
        ["retention-orphaned", "task-0", null],
      ],
    ],
    [
      "a line of the bill without a task",
      (log) => {
        task0(log).events = []
        task0(log).row = undefined
      },
      [
        ["charge-row-orphaned", "task-0", null],
        ["outcome-orphaned", "task-0", null, 1],
        ["retention-orphaned", "task-0", null],
      ],
    ],
    [
      "the outcome of an attempt that is gone, and one that never was",
      (log) => {
        const [gone] = streamOf(log, "task-2").outcomes
        streamOf(log, "task-2").outcomes = []
        if (gone !== undefined) streamOf(log, "task-5").outcomes.push({ ...gone, task: "task-5" })
      },
      [
        ["outcome-missing", "task-2", 4, 1],
        ["outcome-orphaned", "task-5", null, 1],
      ],
    ],
    [
      "each field of an outcome that differs",
      (log) => {
        const stream = task0(log)
        withOutcome(stream, { chargeMicros: 1, costMicros: 1, costSource: "told" })
        withOutcome(stream, { at: 1, channel: "south", dispatchedAt: 1, model: "model-x" })
        withOutcome(stream, { outcome: "failed" })
      },
      [
        "at",
        "channel",
        "dispatchedAt",
        "model",
        "outcome",
        "chargeMicros",
        "costMicros",
        "costSource",
      ].map((field) => ["outcome-differs", "task-0", 5, 1, field]),
    ],
    [
      "a row that stayed behind",
      (log) => {
        const earlier = createStream("task-2", [
          submission("ben", "vendor-c/video-2.5/reference-to-video"),
          dispatch(),
        ])
        streamOf(log, "task-2").row = earlier.row
      },
      [["row-behind", "task-2", 3]],
    ],
    [
      "a log cut off behind the row",
      (log) => void streamOf(log, "task-2").events.pop(),
      [
        ["row-differs", "task-2", 1, "finishedAt"],
        ["row-differs", "task-2", 1, "hash"],
        ["row-differs", "task-2", 1, "snapshot.error"],
        ["row-differs", "task-2", 1, "snapshot.finishedAt"],
        ["row-differs", "task-2", 1, "snapshot.state"],
        ["row-differs", "task-2", 1, "snapshot.updatedAt"],
        ["row-differs", "task-2", 1, "snapshot.version"],
        ["row-differs", "task-2", 1, "status"],
        ["row-differs", "task-2", 1, "version"],
        ["outcome-orphaned", "task-2", null, 1],
        ["ready-missing", "task-2", null],
      ],
    ],
    [
      "an unfinished task that is not in the queue",
      (log) => void (streamOf(log, "task-8").ready = undefined),
      [["ready-missing", "task-8", null]],
    ],
    [
      "a finished task that is in the queue",
      (log) => void (streamOf(log, "task-2").ready = streamOf(log, "task-8").ready),
      [["ready-orphaned", "task-2", null]],
    ],
    [
      "another account, end and model in a task's place",
      (log) => {
        const ready = { account: "eve", endBy: 1, model: "none" }
        streamOf(log, "task-8").ready = ready
      },
      [
        ["ready-differs", "task-8", null, "account"],
        ["ready-differs", "task-8", null, "endBy"],
        ["ready-differs", "task-8", null, "model"],
      ],
    ],
    [
      "a task whose prompt is left and that retention never looks at",
      (log) => void (streamOf(log, "task-2").hasInputs = true),
      [["retention-missing", "task-2", null]],
    ],
    [
      "a task whose artifacts expire and that retention never looks at",
      (log) => void (streamOf(log, "task-0").retainedAt = undefined),
      [["retention-missing", "task-0", null]],
    ],
    [
      "an unfinished task that retention looks at",
      (log) => void (streamOf(log, "task-8").retainedAt = 5),
      [["retention-orphaned", "task-8", null]],
    ],
    [
      "another account in the row",
      (log) => {
        const stream = task0(log)
        if (stream.row !== undefined) stream.row = { ...stream.row, account: "eve" }
      },
      [["row-differs", "task-0", 1, "account"]],
    ],
    [
      "a status that stayed behind, from the event that changed it",
      (log) => {
        const stream = task0(log)
        if (stream.row !== undefined) stream.row = { ...stream.row, status: "running" }
      },
      [["row-differs", "task-0", 5, "status"]],
    ],
    [
      "a progress in the snapshot that stayed behind",
      (log) => withSnapshot(task0(log), { progress: 40 }),
      [["row-differs", "task-0", 5, "snapshot.progress"]],
    ],
    [
      "a charge in the snapshot that never was",
      (log) => withSnapshot(task0(log), { chargeMicros: 1 }),
      [["row-differs", "task-0", 1, "snapshot.chargeMicros"]],
    ],
    [
      "a member of the snapshot too many",
      (log) => {
        const stream = task0(log)
        if (stream.row === undefined) return
        stream.row = { ...stream.row, snapshot: stream.row.snapshot.replace("{", '{"note":1,') }
      },
      [["row-differs", "task-0", 1, "snapshot.note"]],
    ],
    [
      "a member of the snapshot that a row leaves out",
      (log) => {
        const stream = task0(log)
        if (stream.row === undefined) return
        const snapshot = stream.row.snapshot.replace("{", '{"spentAttempts":0,')
        stream.row = { ...stream.row, snapshot }
      },
      [["row-differs", "task-0", 5, "snapshot"]],
    ],
    [
      "a snapshot that is not JSON",
      (log) => {
        const stream = task0(log)
        if (stream.row !== undefined) stream.row = { ...stream.row, snapshot: "{" }
      },
      [["row-differs", "task-0", 5, "snapshot"]],
    ],
    [
      "an artifact that is gone",
      (log) => changeArtifacts(log, (_, second) => [second]),
      ARTIFACTS_DIFFER,
    ],
    [
      "an artifact too many",
      (log) => changeArtifacts(log, (...both) => [...both, { ...both[0], key: "image_3" }]),
      ARTIFACTS_DIFFER,
    ],
    ...(
      [
        { bytes: 1 },
        { sha256: "cd".repeat(32) },
        { locator: "elsewhere" },
        { expiresAt: 1_209_600_001 },
        { expiryHidden: true },
      ] satisfies Partial<ManifestEntry>[]
    ).map((changed): Case => [
      `an artifact with another ${Object.keys(changed).join()}`,
      (log) => changeArtifacts(log, (first, second) => [first, { ...second, ...changed }]),
      ARTIFACTS_DIFFER,
    ]),
    [
      "a line of the bill that is gone, from the event that made it",
      (log) => void (streamOf(log, "task-4").charge = undefined),
      [["charge-row-missing", "task-4", 3]],
    ],
    [
      "the line of a billed failure that is gone",
      (log) => void (streamOf(log, "task-3").charge = undefined),
      [["charge-row-missing", "task-3", 4]],
    ],
    [
      "a line of the bill for a task that cost nothing, and for one that is not finished",
      (log) => {
        const charge = task0(log).charge as ChargeRow
        for (const id of ["task-2", "task-7"]) {
          streamOf(log, id).charge = { ...charge, task: id }
        }
      },
      [
        ["charge-row-orphaned", "task-2", null],
        ["charge-row-orphaned", "task-7", null],
      ],
    ],
    [
      "each field of a line of the bill that differs",
      (log) => {
        const [first, second] = [streamOf(log, "task-1"), streamOf(log, "task-4")]
        withCharge(first, { at: 0, billedInputMs: 1, outputVideoMs: 1, task: "task-0" })
        withCharge(second, {
          account: "eve",
          chargeMicros: 1,
          images: 1,
          model: "model-x",
          priceVersion: "2",
        })
      },
      [
        ...differingCharges("task-1", 4, ["at", "billedInputMs", "outputVideoMs", "task"]),
        ...differingCharges("task-4", 3, ["account", "chargeMicros", "images", "model"]),
        ...differingCharges("task-4", 3, ["priceVersion"]),
      ],
    ],
    [
      "kept totals that are not what the rows add up to, by account and field",
      (log) => {
        const counted = { chargedMicros: 100_000, reservedMicros: 80_000, unfinishedTasks: 3 }
        log.totals = [
          { account: "ann", kept: counted, counted },
          { account: "ben", kept: { ...counted, chargedMicros: 99_999 }, counted },
          {
            account: "cem",
            kept: { ...counted, reservedMicros: 0, unfinishedTasks: -1 },
            counted,
          },
        ]
      },
      [
        ["totals-differ", "ben", "chargedMicros"],
        ["totals-differ", "cem", "reservedMicros"],
        ["totals-differ", "cem", "unfinishedTasks"],
      ],
    ],
    [
      "an event that is not legal, once, and judges no row by what it makes",
      (log) => {
        const [{ data, schema, sealed } = assert.fail()] = task0(log).events
        reseal(task0(log), 3, { type: "submitted", data, schema, sealed })
      },
      [["event-illegal", "task-0", 3]],
    ],
    [
      "an event that can't be read",
      (log) => reseal(task0(log), 4, { data: "{}" }),
      [["event-unreadable", "task-0", 4]],
    ],
    [
      "an event of a newer release",
      (log) => reseal(task0(log), 4, { type: "celebrated" }),
      [["event-unknown", "task-0", 4]],
    ],
    [
      "a charge that usage and price do not make",
      (log) => {
        const stream = task0(log)
        reseal(stream, 5, { data: withData(stream.events[4], { chargeMicros: 39_999 }) })
        withSnapshot(stream, { chargeMicros: 39_999 })
        withCharge(stream, { chargeMicros: 39_999 })
        withOutcome(stream, { chargeMicros: 39_999 })
        if (stream.row !== undefined)
          stream.row = { ...stream.row, hash: stream.events[4]?.hash ?? "" }
      },
      [["charge-differs", "task-0", 5]],
    ],
    [
      "a charge for a task that no channel was asked for",
      (log) => {
        const stream = streamOf(log, "task-9")
        reseal(stream, 2, { data: withData(stream.events[1], { chargeMicros: 1 }) })
        withSnapshot(stream, { chargeMicros: 1 })
        if (stream.row !== undefined)
          stream.row = { ...stream.row, hash: stream.events[1]?.hash ?? "" }
      },
      [["charge-differs", "task-9", 2]],
    ],
    [
      "a charge in an unknown price version",
      (log) => forge(log, { priceVersion: "lost" }),
      [["price-unknown", "task-0", 5]],
    ],
    [
      "a charge for an unknown model",
      (log) => forge(log, { model: "vendor-z/lost" }),
      [["model-unknown", "task-0", 5]],
    ],
    [
      "a charge for a model that the price table bills by another rate",
      (log) => forge(log, { model: "vendor-c/video-2.5/reference-to-video" }),
      [["charge-differs", "task-0", 5]],
    ],
    [
      "a charge beyond what one task may cost",
      (log) => {
        const stream = streamOf(log, "task-3")
        const chargeMicros = MAX_CHARGE_MICROS + 1
        reseal(stream, 4, { data: withData(stream.events[3], { chargeMicros }) })
      },
      [["event-unreadable", "task-3", 4]],
    ],
    [
      "a total beyond what a number holds",
      (log) => {
        // What is billed at ten million each, one more than can be added up.
        const usage = { images: 0, inputVideosMs: [], outputVideoMs: 100_000_000_000 }
        const commands = [submission("ben", VIDEO), dispatch(), success(VIDEO, usage)]
        for (let index = 0; index < 901; index += 1) {
          log.streams.push(createStream(`task-9${String(index).padStart(3, "0")}`, commands))
        }
      },
      [["total-too-large", "task-9900", 3]],
    ],
  ])

  it("does not judge hashes, which are verify's matter", async () => {
    const log = createSampleLog()
    alter(task0(log), 2, { hash: "0".repeat(64) })
    assert.equal((await replay(log)).outcome, "whole")
  })

  it("can't tell where the price book lacks the rate", async () => {
    const prices: AuditOptions["prices"] = [{ version: "default-1", models: { [EDIT]: {} } }]
    const log = createLog([task0(createSampleLog())])
    const { outcome, findings } = await createAudit({ ...optionsOf(log), prices }).replay()
    assert.equal(outcome, "could-not-tell")
    assert.deepEqual(findings.map(brief), [["price-unknown", "task-0", 5]])
  })

  it("can't tell where the kept totals can't be read, and has judged everything else", async () => {
    const log = createSampleLog()
    const message = "the disk is gone"
    const scanTotals: SampleLog["scanTotals"] = () =>
      Promise.reject(new SafelightError({ code: "storage-unavailable", message }))
    const report = await createAudit(optionsOf({ ...log, scanTotals })).replay()
    assert.deepEqual([report.outcome, report.tasks], ["could-not-tell", 10])
    const [finding, ...others] = report.findings
    assert.ok(finding !== undefined && others.length === 0)
    const found = "storage-unavailable: the disk is gone"
    const place = { task: null, version: null, expected: null, found }
    assert.deepEqual(finding, { kind: "totals-unread", ...place })
    const words = `all accounts: the kept totals could not be read: ${found}`
    assert.equal(describeFinding(finding), words)
  })

  it("names the account whose kept totals differ, with what was kept and what adds up", async () => {
    const log = createSampleLog()
    const counted = { chargedMicros: 5, reservedMicros: 0, unfinishedTasks: 0 }
    log.totals = [{ account: "ann", kept: { ...counted, chargedMicros: 7 }, counted }]
    const { findings, outcome } = await replay(log)
    assert.equal(outcome, "differs")
    const facts = { expected: 5, found: 7 }
    const place = { task: null, version: null, account: "ann", field: "chargedMicros" }
    assert.deepEqual(findings, [{ kind: "totals-differ", ...place, ...facts }])
    const words = "account ann: the kept chargedMicros is 7, the rows add up to 5"
    assert.equal(describeFinding(findings[0] as Finding), words)
    assert.equal((await verify(log)).outcome, "whole", "totals are replay's matter")
  })

  it("names the event that ended an attempt, of whichever attempt a row is missing", async () => {
    const images = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
    const defer = { kind: "defer", reason: "lost", retryAt: 1, cost: "unknown" } as const
    const stream = createStream("task-1", [
      submission("ann", EDIT),
      dispatch("key-1"),
      { ...defer, attempt: 1 },
      dispatch("key-2"),
      { ...defer, attempt: 2 },
      dispatch("key-3"),
      success(EDIT, images),
    ])
    assert.equal(stream.outcomes.length, 3)
    stream.outcomes = []
    const { findings } = await replay(createLog([stream]))
    assert.deepEqual(findings.map(brief), [
      ["outcome-missing", "task-1", 3, 1],
      ["outcome-missing", "task-1", 5, 2],
      ["outcome-missing", "task-1", 7, 3],
    ])
  })

  it("shows for a field what the log makes and what the row says", async () => {
    const log = createSampleLog()
    withSnapshot(task0(log), { progress: 40 })
    const { findings } = await replay(log)
    assert.deepEqual([findings[0]?.expected, findings[0]?.found], [100, 40])
  })
})

/** Writes another submission under task-0, consistently: only its charge can then be judged. */
function forge(log: SampleLog, change: Partial<Pick<Task, "model" | "priceVersion">>): void {
  const stream = task0(log)
  reseal(stream, 1, { data: withData(stream.events[0], change) })
  withSnapshot(stream, change)
  withCharge(stream, change)
  if (change.model !== undefined) withOutcome(stream, { model: change.model })
  if (stream.row === undefined) return
  const model = change.model ?? stream.row.model
  stream.row = { ...stream.row, model, hash: stream.events[4]?.hash ?? "" }
}
