/**
 * The client's ledger: what it asked for and every 202 it got, in a file that is synced before
 * anything counts. It is the oracle's only memory of what was promised, and is read back from disk.
 */
import { open, readFile } from "node:fs/promises"

export interface Ledger extends AsyncDisposable {
  /** Before the request leaves; durable once resolved, like the other. */
  asked(request: number): Promise<void>
  /** A 202 named this task. */
  accepted(request: number, task: string): Promise<void>
  /** 202s that are durable. */
  acceptedCount(): number
}

export interface LedgerEntries {
  readonly asked: ReadonlySet<number>
  /** Every task that a 202 named, by request: more than one is a broken promise. */
  readonly accepted: ReadonlyMap<number, ReadonlySet<string>>
  /** When each task's first 202 was written down. */
  readonly acceptedAt: ReadonlyMap<string, number>
}

type Line =
  | { readonly asked: number }
  | { readonly accepted: number; readonly task: string; readonly at: number }

export async function openLedger(path: string): Promise<Ledger> {
  const file = await open(path, "a")
  let pending: string[] = []
  let writing: Promise<void> | undefined
  let acceptedCount = 0

  /** Lines that queued up during one sync go out together with the next. */
  async function flush(earlier: Promise<void> | undefined): Promise<void> {
    await earlier
    const text = pending.join("")
    pending = []
    writing = undefined
    await file.appendFile(text)
    await file.datasync()
  }

  function write(line: Line): Promise<void> {
    pending.push(`${JSON.stringify(line)}\n`)
    writing ??= last = flush(last)
    return writing
  }

  let last: Promise<void> | undefined
  return {
    asked: (request) => write({ asked: request }),
    async accepted(request, task) {
      await write({ accepted: request, task, at: Date.now() })
      acceptedCount += 1
    },
    acceptedCount: () => acceptedCount,
    async [Symbol.asyncDispose]() {
      await last
      await file.close()
    },
  }
}

/** The longest time between two tasks that were accepted before `until`. */
export function toLongestGapMs(
  { acceptedAt }: Pick<LedgerEntries, "acceptedAt">,
  until: number,
): number {
  const moments = [...acceptedAt.values()].filter((at) => at <= until).toSorted((a, b) => a - b)
  return Math.max(0, ...moments.slice(1).map((at, place) => at - (moments[place] ?? at)))
}

export async function readLedger(path: string): Promise<LedgerEntries> {
  const asked = new Set<number>()
  const accepted = new Map<number, Set<string>>()
  const acceptedAt = new Map<string, number>()
  for (const text of (await readFile(path, "utf8")).split("\n")) {
    if (text === "") continue
    const line = JSON.parse(text) as Line
    if ("asked" in line) {
      asked.add(line.asked)
      continue
    }
    const tasks = accepted.get(line.accepted) ?? new Set<string>()
    accepted.set(line.accepted, tasks.add(line.task))
    if (!acceptedAt.has(line.task)) acceptedAt.set(line.task, line.at)
  }
  return { asked, accepted, acceptedAt }
}
