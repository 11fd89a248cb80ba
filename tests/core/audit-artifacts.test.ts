/**
 * Which artifacts an audit reads, how fast, and what it says of them, over storages in memory and a clock that stands.
 * What becomes of real files is tried with folders (service/command/audit-artifacts.test.ts).
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { auditArtifacts, type ArtifactAuditOptions } from "@safelight/audit"
import {
  fold,
  openEvent,
  SafelightError,
  type ArtifactReader,
  type TaskCommand,
} from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import * as fc from "fast-check"
import { checkAsync } from "./support/property.ts"
import {
  createLog,
  createStream,
  dispatch,
  EDIT,
  listLocators,
  submission,
  success,
  type SampleLog,
} from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

const IMAGES = { images: 2, inputVideosMs: [], outputVideoMs: 0 }
const BYTES = 1_000
const BODY = "a".repeat(BYTES)
/** What each read takes, where there is a clock. */
const READ_MS = 100
/** Before any artifact expires, and after all of them have. */
const [EARLY, LATE] = [2_000_000, 1_209_600_001]

/** Finished tasks with two artifacts of the same bytes each. */
function createFinished(tasks: number, more: readonly TaskCommand[] = []): SampleLog {
  return createLog(
    Array.from({ length: tasks }, (_, index) => {
      const done = success(EDIT, IMAGES)
      assert.ok(done.kind === "succeed")
      const artifacts = done.artifacts.map((entry) => {
        return { ...entry, bytes: BYTES, sha256: sha256([BODY]) }
      })
      const commands = [submission("ann", EDIT), dispatch(), { ...done, artifacts }, ...more]
      return createStream(`task-${index}`, commands)
    }),
  )
}

interface World {
  readonly options: ArtifactAuditOptions
  /** Bytes read so far, of all artifacts. */
  readonly read: () => number
  /** The locators that were opened. */
  readonly opened: string[]
  /** What each locator holds; every one that a task names holds its bytes at first. */
  readonly bodies: Map<string, string>
}

function createWorld(log: SampleLog, more: Partial<ArtifactAuditOptions> = {}): World {
  const opened: string[] = []
  const named = log.streams.flatMap(listLocators)
  const bodies = new Map(named.map((locator) => [locator, BODY]))
  let read = 0
  const createReader = (body: string): ArtifactReader => {
    let position = 0
    return {
      totalBytes: body.length,
      async read(into) {
        const piece = Buffer.from(body).subarray(position, position + into.length)
        into.set(piece)
        position += piece.length
        await more.clock?.wait(READ_MS)
        read += piece.length
        return piece.length
      },
      async close() {},
    }
  }
  const artifacts: ArtifactAuditOptions["artifacts"] = {
    async open({ locator }) {
      opened.push(locator)
      const body = bodies.get(locator)
      if (body !== undefined) return createReader(body)
      throw new SafelightError({ code: "artifact-missing", message: "there is none" })
    },
    async *listAll() {
      yield* bodies.keys()
    },
  }
  const readTask = async (id: string) => {
    const stream = log.streams.find((each) => each.id === id)
    return stream && fold(id, stream.events.map(openEvent))
  }
  const storage = {
    scan: log.scan,
    listBundles: log.listBundles,
    listSegments: log.listSegments,
    readTask,
  }
  return {
    options: { storage, artifacts, now: EARLY, ...more } as ArtifactAuditOptions,
    read: () => read,
    opened,
    bodies,
  }
}

describe("an audit of artifacts", () => {
  it("reads all by default, and says how many and how many bytes of all that is", async () => {
    const { options } = createWorld(createFinished(3))
    assert.deepEqual(await auditArtifacts(options), {
      outcome: "whole",
      artifacts: 6,
      bytes: 6 * BYTES,
      named: { artifacts: 6, bytes: 6 * BYTES },
      sample: null,
      bytesPerSecond: null,
      files: 6,
      findings: [],
      findingCount: 0,
    })
  })

  it("reads no byte of an artifact that is missing or has another size", async () => {
    const { bodies, options, read } = createWorld(createFinished(2))
    const [gone = "", cut = "", altered = ""] = [...bodies.keys()]
    bodies.delete(gone)
    bodies.set(cut, "a")
    bodies.set(altered, "b".repeat(BYTES))
    const { artifacts, bytes, findings, named, outcome } = await auditArtifacts(options)
    assert.equal(outcome, "differs")
    assert.deepEqual(
      findings.map((finding) => [finding.kind, finding.task, "key" in finding && finding.key]),
      [
        ["missing", "task-0", "image_1"],
        ["differs", "task-0", "image_2"],
        ["differs", "task-1", "image_1"],
      ],
    )
    assert.deepEqual([artifacts, bytes, read()], [4, 2 * BYTES, 2 * BYTES])
    assert.deepEqual(named, { artifacts: 4, bytes: 4 * BYTES })
  })

  it("judges none that has expired, and one that is held for as long as it is held", async () => {
    const ended = createWorld(createFinished(2), { now: LATE })
    assert.deepEqual((await auditArtifacts(ended.options)).named, { artifacts: 0, bytes: 0 })
    const held: TaskCommand = { kind: "hold", until: LATE + 1 }
    const kept = createWorld(createFinished(2, [held]), { now: LATE })
    const { artifacts, named } = await auditArtifacts(kept.options)
    assert.deepEqual([artifacts, named.artifacts], [4, 4])
  })
})

describe("a sample", () => {
  const SAMPLE = { share: 0.3, seed: "7f" }

  it("is the same for one seed, whatever else there is, and another for another", async () => {
    const opened = async (tasks: number, seed: string): Promise<readonly string[]> => {
      const world = createWorld(createFinished(tasks), { sample: { ...SAMPLE, seed } })
      await auditArtifacts(world.options)
      return world.opened.toSorted()
    }
    const [few, many, other] = [
      await opened(40, "7f"),
      await opened(80, "7f"),
      await opened(40, "80"),
    ]
    const ofFew = new Set(createWorld(createFinished(40)).bodies.keys())
    assert.deepEqual(
      many.filter((locator) => ofFew.has(locator)),
      few,
    )
    assert.notDeepEqual(other, few)
  })

  it("is about the share of all, and all of them for a share of 1", async (t) => {
    await checkAsync(
      t,
      fc.asyncProperty(fc.string(), fc.constantFrom(0.1, 0.5, 1), async (seed, share) => {
        const { options } = createWorld(createFinished(200), { sample: { seed, share } })
        const { artifacts, bytes, named } = await auditArtifacts(options)
        assert.deepEqual([bytes, named.artifacts], [artifacts * BYTES, 400])
        // Seven standard deviations: one seed in a hundred thousand million is further off.
        const deviation = Math.sqrt(400 * share * (1 - share))
        assert.ok(Math.abs(artifacts - 400 * share) <= 7 * deviation, `${artifacts} of 400`)
      }),
      20,
    )
  })

  it("finds nothing of what it does not read, and still every file of no task", async () => {
    const { bodies, opened, options } = createWorld(createFinished(20), { sample: SAMPLE })
    await auditArtifacts(options)
    const chosen = new Set(opened)
    for (const locator of bodies.keys()) if (!chosen.has(locator)) bodies.set(locator, "cut")
    assert.equal((await auditArtifacts(options)).outcome, "whole")
    bodies.set("a7/lost/image_1/00000000-0000-4000-8000-000000000000", BODY)
    const { files, findings, sample } = await auditArtifacts(options)
    assert.deepEqual(
      findings.map(({ kind, task }) => [kind, task]),
      [["unknown-task", "lost"]],
    )
    assert.deepEqual([files, sample], [41, SAMPLE])
  })

  it("of no share is refused, and one of more than all", async () => {
    for (const share of [0, -1, 1.01, Number.NaN]) {
      const { options } = createWorld(createFinished(1), { sample: { share, seed: "" } })
      const message = /^sample\.share must be a number above 0/
      await assert.rejects(auditArtifacts(options), { code: "invalid-configuration", message })
    }
  })
})

describe("a pace", () => {
  it("is kept by all reads together", async () => {
    const clock = createManualClock()
    const world = createWorld(createFinished(5), { bytesPerSecond: 400, clock })
    const audit = auditArtifacts(world.options)
    // 10 artifacts of 1,000 bytes, in pieces of 400, 400 and 200.
    for (let second = 0; second < 25; second += 1) {
      await clock.advance(second === 0 ? READ_MS : 1_000)
      assert.ok(world.read() <= 400 * (second + 1), `${world.read()} bytes in ${second} s`)
      assert.ok(world.read() >= 400 * second, `${world.read()} bytes in ${second} s`)
    }
    await clock.advance(2_000)
    const { bytes, outcome } = await audit
    assert.deepEqual([outcome, bytes, clock.pendingWaits()], ["whole", 10 * BYTES, 0])
  })

  it("waits on where a timer was early", async () => {
    const clock = createManualClock()
    const early = {
      ...clock,
      wait: (durationMs: number) => clock.wait(Math.max(READ_MS, durationMs / 2)),
    }
    const world = createWorld(createFinished(1), { bytesPerSecond: BYTES, clock: early })
    const audit = auditArtifacts(world.options)
    await clock.advance(999 + READ_MS)
    assert.equal(world.read(), BYTES)
    await clock.advance(1 + READ_MS)
    assert.equal((await audit).bytes, 2 * BYTES)
  })

  it("is a positive integer", async () => {
    for (const bytesPerSecond of [0, -1, 0.5]) {
      const { options } = createWorld(createFinished(1), { bytesPerSecond })
      const message = "bytesPerSecond must be a positive integer"
      await assert.rejects(auditArtifacts(options), { code: "invalid-configuration", message })
    }
  })
})
