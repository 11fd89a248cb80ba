/**
 * Renderings by upstream key, finished ones kept until collected, within a number and a size; the
 * oldest finished one goes first. A rendering under way is never removed for these bounds.
 */
import type { Rendering } from "./rendering.ts"

export interface Shelf {
  find(key: string): Rendering | undefined
  add(key: string, rendering: Rendering): void
  /** Called when `rendering` has ended. */
  tidy(key: string, rendering: Rendering): void
  /** Removes `rendering`, but not another that has taken its key. */
  remove(key: string, rendering: Rendering): void
  all(): readonly Rendering[]
}

export interface ShelfOptions {
  readonly keptRenderings: number
  readonly keptBytes: number
}

export function createShelf({ keptRenderings, keptBytes }: ShelfOptions): Shelf {
  const renderings = new Map<string, Rendering>()
  /** Bytes of those that have ended, oldest first. */
  const ended = new Map<string, number>()
  let bytes = 0

  function forget(key: string): void {
    renderings.delete(key)
    bytes -= ended.get(key) ?? 0
    ended.delete(key)
  }

  return {
    find: (key) => renderings.get(key),
    add(key, rendering) {
      renderings.set(key, rendering)
    },
    tidy(key, rendering) {
      if (renderings.get(key) !== rendering) return
      const size = toBytes(rendering)
      ended.set(key, size)
      bytes += size
      for (const oldest of ended.keys()) {
        if (ended.size <= keptRenderings && bytes <= keptBytes) break
        // The newest stays even if it alone is over the bound: it has just been made, to be collected.
        if (oldest !== key) forget(oldest)
      }
    },
    remove(key, rendering) {
      if (renderings.get(key) === rendering) forget(key)
    },
    all: () => [...renderings.values()],
  }
}

function toBytes({ end }: Rendering): number {
  if (end?.kind !== "rendered") return 0
  return end.outputs.reduce((sum, output) => sum + output.bytes.byteLength, 0)
}
