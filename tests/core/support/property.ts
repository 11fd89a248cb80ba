/**
 * Runs a property with a seed that is printed, so that a failure can be run again:
 * `SAFELIGHT_TEST_SEED=… node …`. Without the variable every run takes a new seed.
 */
import type { TestContext } from "node:test"
import * as fc from "fast-check"

const given = process.env["SAFELIGHT_TEST_SEED"]
const seed = given === undefined ? Math.trunc(Math.random() * 0x7fffffff) : Number(given)

export function check<Values>(
  context: TestContext,
  property: fc.IPropertyWithHooks<Values>,
  runs = 300,
): void {
  context.diagnostic(`seed ${seed}`)
  fc.assert(property, { seed, numRuns: runs })
}

export async function checkAsync<Values>(
  context: TestContext,
  property: fc.IAsyncPropertyWithHooks<Values>,
  runs = 100,
): Promise<void> {
  context.diagnostic(`seed ${seed}`)
  await fc.assert(property, { seed, numRuns: runs })
}
