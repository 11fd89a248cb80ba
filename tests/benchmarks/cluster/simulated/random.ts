/** An engine's random bytes, as a seed determines them. */
import type { EngineOptions } from "@safelight/engine"
import { createRandom } from "../../../support/seeded-random.ts"

export function toRandomness(seed: number): NonNullable<EngineOptions["randomness"]> {
  const random = createRandom(seed)
  return (into) => {
    for (const index of into.keys()) into[index] = Math.floor(random() * 256)
    return into
  }
}
