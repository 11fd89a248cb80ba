/**
 * A map that forgets the entries which nobody asked for lately. Two generations instead of a list: a hit
 * on the young one costs one look-up, and once it is full it becomes the old one. So the map holds up to
 * twice `limit` entries, and the last `limit` different keys in any case.
 */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  /** Entries held now. */
  size(): number
}

export function createBoundedCache<Value>(limit: number): BoundedCache<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()

  function set(key: string, value: Value): void {
    if (young.size >= limit && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    old.delete(key)
  }

  return {
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const kept = old.get(key)
      if (kept !== undefined) set(key, kept)
      return kept
    },
    set,
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    size: () => young.size + old.size,
  }
}
