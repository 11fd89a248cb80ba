/**
 * The fault matrix: whatever goes wrong at a provider, and wherever the process dies meanwhile, nothing
 * is bought twice, what was bought is kept or accounted for, it is charged once, and nothing is left
 * open. `fault-matrix/ledger.ts` has the rules, of which every field of the matrix must keep each.
 *
 *   channel and model  ×  fault (before its answer, in a poll, in a download, the provider's own, clocks)
 *   called back too    ×  fault (the same but downloads, in a webhook, each after a lost answer)
 *                      ×  once, or until the task has ended
 *                      ×  crash (none, or at the first or second pass of each named point, or for a while)
 *                      ×  cancelled by its account (never, or at the first pass of each named point)
 *
 * Every fault of each channel is played without a crash, and every crash without a fault; of the rest
 * `SAFELIGHT_MATRIX_DRAWS` fields of each channel (a third of them where it is called back, and there
 * among them all faults without end) are drawn by `SAFELIGHT_TEST_SEED`, a new seed each
 * time without it. A failure names its field, and `SAFELIGHT_MATRIX_FIELD` plays that one alone.
 */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { PROBE_POINTS, type ProbePoint } from "@safelight/core"
import { createRandom } from "../faults/random.ts"
import {
  CANCEL_POINTS,
  CRASHES,
  FIRST_CRASHES,
  listFaults,
  toText,
  type Combination,
  type Crash,
  type Fault,
} from "./fault-matrix/combination.ts"
import { LANES, type Lane } from "./fault-matrix/lanes.ts"
import { createPlayers } from "./fault-matrix/players.ts"

const SEED = process.env["SAFELIGHT_TEST_SEED"] ?? `${Math.trunc(Math.random() * 0x7fffffff)}`
const DRAWS = Number(process.env["SAFELIGHT_MATRIX_DRAWS"] ?? 30)
const FIELD = process.env["SAFELIGHT_MATRIX_FIELD"]
const THREADS = 2

const PLAIN = { fault: null, times: 1, crash: null } as const

const players = createPlayers(THREADS)
const passed = new Set<ProbePoint>()
after(() => players.close())

/** Plays them one after the other; to what is wrong with each. */
async function playAll(combinations: readonly Combination[]): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const combination of combinations) {
    if (FIELD !== undefined && toText(combination) !== FIELD) continue
    const { lane, ...field } = combination
    const verdict = await players.play({ ...field, title: lane.title })
    wrong.push(...verdict.wrong)
    for (const point of verdict.passed) passed.add(point)
  }
  return wrong
}

function withFaults(lane: Lane, faults: readonly Fault[], crash: Crash | null): Combination[] {
  // What is lost at the creation strikes once in any case; the rest is drawn.
  const often = lane.webhooks !== null && crash === null ? [1] : [1, Infinity]
  return faults.flatMap((fault) => often.map((times) => ({ lane, fault, times, crash })))
}

describe("the ledger holds", { concurrency: THREADS }, () => {
  for (const lane of LANES) {
    describe(`at ${lane.title}`, () => {
      it("whatever goes wrong at the provider, once and without end", async () => {
        const faults = await listFaults(lane)
        assert.deepEqual(await playAll(withFaults(lane, faults, null)), [])
      })

      it("wherever the process dies", async () => {
        const crashes = [null, ...FIRST_CRASHES]
        const fields = crashes.map((crash) => ({ lane, fault: null, times: 1, crash }))
        assert.deepEqual(await playAll(fields), [])
      })

      // Of the lanes that are called back some are drawn.
      if (lane.webhooks === null) {
        it("wherever it is cancelled", async () => {
          const fields = CANCEL_POINTS.map((cancelAt) => ({ cancelAt, ...PLAIN, lane }))
          assert.deepEqual(await playAll(fields), [])
        })
      }

      it("wherever it is cancelled while things go wrong and the process dies", async (t) => {
        t.diagnostic(`SAFELIGHT_TEST_SEED=${SEED}`)
        const faults = await listFaults(lane)
        const crashes = [null, ...CRASHES]
        const all = CANCEL_POINTS.flatMap((cancelAt) =>
          crashes.flatMap((crash) =>
            withFaults(lane, faults, crash).map((field) => ({ ...field, cancelAt })),
          ),
        )
        const count = Math.ceil(DRAWS / (lane.webhooks === null ? 4 : 8))
        const random = createRandom(`${SEED}:cancel:${lane.title}`)
        const fields = FIELD === undefined ? random.draw(all, count) : all
        assert.deepEqual(await playAll(fields), [], `SAFELIGHT_TEST_SEED=${SEED}`)
      })

      it("whatever goes wrong while the process dies", async (t) => {
        t.diagnostic(`SAFELIGHT_TEST_SEED=${SEED}`)
        const faults = await listFaults(lane)
        const all = CRASHES.flatMap((crash) => withFaults(lane, faults, crash))
        // The lane without webhooks has drawn of the same faults.
        const count = lane.webhooks === null ? DRAWS : Math.ceil(DRAWS / 3)
        const random = createRandom(`${SEED}:${lane.title}`)
        const fields = FIELD === undefined ? random.draw(all, count) : all
        assert.deepEqual(await playAll(fields), [], `SAFELIGHT_TEST_SEED=${SEED}`)
      })
    })
  }
})

describe("the matrix", () => {
  it("passes every named point", { skip: FIELD !== undefined && "one field alone" }, () => {
    assert.deepEqual(
      PROBE_POINTS.filter((point) => !passed.has(point)),
      [],
    )
  })
})
