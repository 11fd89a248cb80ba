/**
 * A service that starts with its clock a month ahead removes nothing, until its operator says by `--trust-clock`
 * that the clock is right; that this was said stands in the record of changes.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import type { Clock } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import { createService, DEFAULTS } from "safelight"
import { temporaryFolder } from "../command/command-process.ts"
import { PICTURE, recordTasks } from "../command/recorded-tasks.ts"

const MONTH_MS = 30 * 86_400_000
const NOTHING = { expired: 0, removed: 0 }

function shifted(byMs: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + byMs }
}

async function sweepOnce(data: string, aheadMs: number, trustsClock = false) {
  const warnings: string[] = []
  const service = await createService({
    configuration: { ...DEFAULTS, port: 0, stopGraceMs: 0, data },
    clock: shifted(aheadMs),
    trustsClock,
    log: {
      info() {},
      warn: (_, message) => void warnings.push(message),
      error: (_, message) => assert.fail(message),
    },
  })
  try {
    const { expired, removed } = await service.engine.sweep()
    const { changes } = await service.storage.listOperatorChanges({ limit: 10 })
    return {
      counts: { expired, removed },
      isHeld: warnings.includes("removal held back"),
      changes: changes.map(({ change, changedBy, target }) => [changedBy, change, target]),
    }
  } finally {
    await service.stop()
  }
}

async function createMade(t: TestContext): Promise<string> {
  const data = join(await temporaryFolder(t), "data")
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1_000).fill(112)
  }
  const outcome = { kind: "completed", outputs: [{ mimeType: "image/png", open: body }] } as const
  await recordTasks(data, [{ model: PICTURE, outcome }])
  assert.deepEqual(await sweepOnce(data, 0), { counts: NOTHING, isHeld: false, changes: [] })
  return data
}

describe("a service that starts with its clock a month ahead", () => {
  it("removes nothing, and says so", async (t) => {
    const data = await createMade(t)
    const held = await sweepOnce(data, MONTH_MS)
    assert.deepEqual(held, { counts: NOTHING, isHeld: true, changes: [] })
  })

  it("removes what is due at once where its operator trusts the clock, which is recorded", async (t) => {
    const data = await createMade(t)
    const swept = await sweepOnce(data, MONTH_MS, true)
    assert.deepEqual(swept, {
      counts: { expired: 1, removed: 1 },
      isHeld: false,
      changes: [["command", "clock-trusted", "clock"]],
    })
  })
})
