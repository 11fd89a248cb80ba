/**
 * Runs a contract: every behaviour on a fixture of its own. A known divergence is expected to
 * fail, and fails the suite once it passes, so that a list of divergences stays true.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"

/** Behaviours by the sentence that says them. */
export type Behaviours<Fixture> = Readonly<Record<string, (fixture: Fixture) => Promise<void>>>

export interface Divergence {
  /** The sentence of the behaviour. */
  readonly test: string
  readonly reason: string
}

export interface ContractRun<Fixture> {
  readonly title: string
  readonly behaviours: Behaviours<Fixture>
  readonly create: () => Promise<Fixture>
  readonly divergences?: readonly Divergence[]
}

/** Declares the suite; `cleanUp` of each fixture is called whatever happened. */
export function describeContract<Fixture extends { cleanUp(): Promise<void> }>(
  run: ContractRun<Fixture>,
): void {
  const reasons = new Map(run.divergences?.map(({ test, reason }) => [test, reason]))
  describe(run.title, () => {
    for (const [test, behave] of Object.entries(run.behaviours)) {
      const reason = reasons.get(test)
      reasons.delete(test)
      it(reason === undefined ? test : `${test} (known divergence: ${reason})`, async () => {
        const fixture = await run.create()
        try {
          const behaved = behave(fixture)
          await (reason === undefined ? behaved : assert.rejects(behaved, () => true, MENDED))
        } finally {
          await fixture.cleanUp()
        }
      })
    }
    for (const test of reasons.keys()) {
      it(`knows no behaviour "${test}"`, () => {
        assert.fail(`a divergence names "${test}", which the contract does not test`)
      })
    }
  })
}

const MENDED = "it passes now: take it off the list of divergences"
