/** Numbers that a seed determines: mulberry32. */
import type { EngineOptions } from "@safelight/engine"

/** From 0 up to 1. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function toRandomness(seed: number): NonNullable<EngineOptions["randomness"]> {
  const random = createRandom(seed)
  return (into) => {
    for (const index of into.keys()) into[index] = Math.floor(random() * 256)
    return into
  }
}
