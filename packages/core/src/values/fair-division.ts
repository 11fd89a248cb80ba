/**
 * How the permits of a pool are divided among processes, by arithmetic alone. Storages compute the same of the pools of
 * accounts, so that a process takes no task that it has no permit for.
 */
import type { Digest } from "./digest.ts"

/** Which turn a process has among all those that divide a pool. */
export interface Turn {
  /** From 0; below `count`. */
  readonly index: number
  /** How many divide it, at least 1. */
  readonly count: number
}

/** Permits that are divided. */
export interface Pool {
  /** At least 1. */
  readonly size: number
  /** `toPoolNumber` of its name. */
  readonly number: number
}

/** By this number, of 28 bits, different pools begin with different turns. */
export function toPoolNumber(pool: string, sha256: Digest): number {
  return Number.parseInt(sha256([pool]).slice(0, 7), 16)
}

/** How many of `size` permits of a pool a turn gets: all get as many, and the first turns what is left over. */
export function toShare({ count, index }: Turn, size: number, toNumber: () => number): number {
  const even = Math.floor(size / count)
  const left = size - even * count
  return left > 0 && (toNumber() + index) % count < left ? even + 1 : even
}
