/**
 * A service that starts with its clock a month ahead removes nothing, until its operator says by `--trust-clock`
 * that the clock is right; that this was said stands in the record of changes.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import type { Clock } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import { createService, DEFAULTS } from "safelight"
import { temporaryFolder } from "../command/command-process.ts"
import { PICTURE, recordTasks } from "../command/recorded-tasks.ts"

const MONTH_MS = 30 * 86_400_000
const KEPT = { isExpired: false, files: 1 }

function shifted(byMs: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + byMs }
}

/** What is left after a sweep: the service's own at its start may have done it first, so that no counts are compared. */
async function sweepOnce({ data, task }: Made, aheadMs: number, trustsClock = false) {
  const warnings: string[] = []
  const service = await createService({
    configuration: { ...DEFAULTS, port: 0, stopGraceMs: 10_000, data },
    clock: shifted(aheadMs),
    trustsClock,
    log: {
      info() {},
      warn: (_, message) => void warnings.push(message),
      error: (_, message) => assert.fail(message),
    },
  })
  try {
    await service.engine.sweep()
    const { changes } = await service.storage.listOperatorChanges({ limit: 10 })
    const events = await service.storage.readEvents(task)
    await service.stop()
    const artifacts = createFilesystemArtifacts({ folder: join(data, "artifacts") })
    return {
      left: {
        isExpired: events.some(({ type }) => type === "expired"),
        files: (await artifacts.list(task)).length,
      },
      isHeld: warnings.includes("removal held back"),
      changes: changes.map(({ change, changedBy, target }) => [changedBy, change, target]),
    }
  } finally {
    await service.stop()
  }
}

interface Made {
  readonly data: string
  readonly task: string
}

async function createMade(t: TestContext): Promise<Made> {
  const data = join(await temporaryFolder(t), "data")
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1_000).fill(112)
  }
  const outcome = { kind: "completed", outputs: [{ mimeType: "image/png", open: body }] } as const
  const [task] = await recordTasks(data, [{ model: PICTURE, outcome }])
  assert.ok(task !== undefined)
  const made = { data, task }
  assert.deepEqual(await sweepOnce(made, 0), { left: KEPT, isHeld: false, changes: [] })
  return made
}

describe("a service that starts with its clock a month ahead", () => {
  it("removes nothing, and says so", async (t) => {
    const made = await createMade(t)
    const held = await sweepOnce(made, MONTH_MS)
    assert.deepEqual(held, { left: KEPT, isHeld: true, changes: [] })
  })

  it("removes what is due at once where its operator trusts the clock, which is recorded", async (t) => {
    const made = await createMade(t)
    const swept = await sweepOnce(made, MONTH_MS, true)
    assert.deepEqual(swept, {
      left: { isExpired: true, files: 0 },
      isHeld: false,
      changes: [["command", "clock-trusted", "clock"]],
    })
  })
})
