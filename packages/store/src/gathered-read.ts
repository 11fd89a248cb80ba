/**
 * Reads by key that are asked for within one turn of the event loop, as one query: it is sent behind
 * the last of them, so each sees every commit acknowledged before it. The same key is read once.
 */

interface Waiting<Value> {
  readonly key: string
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/** `load` gives what it finds, by key. */
export function createGatheredRead<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, () => Value>>,
): (key: string) => Promise<Value | undefined> {
  let waiting: Waiting<Value>[] = []

  async function readAll(): Promise<void> {
    const reads = waiting
    waiting = []
    try {
      const found = await load([...new Set(reads.map(({ key }) => key))])
      for (const read of reads) settle(read, found.get(read.key))
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (waiting.length === 1) setImmediate(() => void readAll())
    })
}

/** A row that can't be read rejects its own readers alone. */
function settle<Value>({ resolve, reject }: Waiting<Value>, open: (() => Value) | undefined): void {
  try {
    resolve(open?.())
  } catch (error) {
    reject(error)
  }
}
