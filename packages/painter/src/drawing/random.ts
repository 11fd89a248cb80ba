/**
 * Random numbers grown from a text: the same text gives the same sequence on every machine, which
 * is what makes a rendering byte-identical. A draw more or less changes every later draw of its own
 * sequence, so each part of a picture forks one by name: a fork depends on the text alone, not on
 * what was drawn before it.
 */
import { hash } from "node:crypto"

export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number
  /** From `low` inclusive to `high` exclusive. */
  between(low: number, high: number): number
  /** An integer from 0 to `count` - 1. */
  integer(count: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  fork(name: string): Random
}

/** The generator is sfc32 (Doty-Humphrey, PractRand), keyed with the SHA-256 of `seed`. */
export function createRandom(seed: string): Random {
  const key = hash("sha256", seed, "buffer")
  let a = key.readInt32LE(0)
  let b = key.readInt32LE(4)
  let c = key.readInt32LE(8)
  let counter = key.readInt32LE(12)

  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }

  return {
    next,
    between: (low, high) => low + next() * (high - low),
    integer: (count) => Math.floor(next() * count),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    fork: (name) => createRandom(`${seed}\n${name}`),
  }
}

/** What a request is painted from: its prompt and its references, not its size or length. */
export function toSeed(prompt: string, media: readonly { readonly sha256: string }[] = []): string {
  return [hash("sha256", prompt), ...media.map(({ sha256 }) => sha256)].join(" ")
}
