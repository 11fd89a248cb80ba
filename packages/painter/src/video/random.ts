/**
 * Seeded randomness in streams. Each part of a film forks its own by name, so that drawing one
 * number more in the sky leaves the mountains where they were. A fork depends on the seed alone,
 * not on what was drawn before it.
 */
import { createSeededRandom, type SeededRandom } from "../image/seeded-random.ts"

export interface Random extends SeededRandom {
  fork(name: string): Random
}

export function createRandom(seed: string): Random {
  return { ...createSeededRandom(seed), fork: (name) => createRandom(`${seed}\n${name}`) }
}
