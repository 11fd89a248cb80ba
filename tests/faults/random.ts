/**
 * Choices made from a seed: the same seed and the same questions give the same answers on every
 * machine. What the processes under test do meanwhile is their own, so two runs of a seed inject
 * the same faults in the same order, though not into the very same instruction.
 */
import { hash } from "node:crypto"

export interface Random {
  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  shuffle<Item>(items: readonly Item[]): Item[]
  /** So many of them, none twice; it costs no more where there are very many to draw from. */
  draw<Item>(items: readonly Item[], count: number): Item[]
}

export function createRandom(seed: string): Random {
  let count = 0
  function integer(least: number, most: number): number {
    count += 1
    return least + (toNumber(`${seed}:${count}`) % (most - least + 1))
  }
  return {
    integer,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
    shuffle(items) {
      const keyed = items.map((item) => ({ item, key: integer(0, 0xffff_ffff) }))
      return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item)
    },
    draw(items, drawn) {
      const positions = new Set<number>()
      while (positions.size < Math.min(drawn, items.length)) {
        positions.add(integer(0, items.length - 1))
      }
      return [...positions].flatMap((position) => items[position] ?? [])
    },
  }
}

/** One of the names, each as often as its weight says; the same for the same text. */
export function pickByText<Name extends string>(
  text: string,
  weights: Readonly<Record<Name, number>>,
): Name {
  const entries = Object.entries(weights) as [Name, number][]
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0)
  let rest = toNumber(text) % total
  for (const [name, weight] of entries) {
    if (rest < weight) return name
    rest -= weight
  }
  throw new RangeError("no name has a weight")
}

function toNumber(text: string): number {
  // 48 bits: exact as a number, and a modulus of small counts is as good as fair.
  return Number.parseInt(hash("sha256", text).slice(0, 12), 16)
}
