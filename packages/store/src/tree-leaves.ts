/**
 * What leaves stand for. It is kept in rows of up to 256 leaves that are never changed, each with the moments of its
 * events: so a task's leaves are found by the moments of its events, and there is no row for each.
 */
import type {
  LeafEvent,
  LeafRun,
  StoredEvent,
  TreeLeaf,
  TreeStorage,
  UnsequencedEvent,
} from "@safelight/core"
import type { ArchivedStreams } from "./archived-streams.ts"
import type { Connections } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import type { BundleReads } from "./tree-archive.ts"
import type { HasLeaf } from "./tree-notes.ts"
import { TREE_STATEMENTS } from "./tree-statements.ts"

const ROW_ENTRIES = 256

/** Nearly always the first row has the event. */
const ROWS_AROUND = 4

/** The rows of events that are given the leaves from `start` on. */
export function toEntriesRows(
  start: number,
  events: readonly UnsequencedEvent[],
): readonly LeafRun[] {
  const rows: LeafRun[] = []
  for (let from = 0; from < events.length; from += ROW_ENTRIES) {
    const part = events.slice(from, from + ROW_ENTRIES)
    const moments = part.map(({ at }) => at)
    rows.push({
      position: start + from,
      firstAt: Math.min(...moments),
      lastAt: Math.max(...moments),
      entries: part.map(({ task, version }) => [task, version]),
    })
  }
  return rows
}

export interface LeafMethods extends Pick<TreeStorage, "findLeaf" | "listLeaves" | "readLeaves"> {
  readonly hasLeaf: HasLeaf
}

export function createLeafMethods(
  { read }: Pick<Connections, "read">,
  compiler: Compiler,
  { archived, bundles }: { readonly archived: ArchivedStreams; readonly bundles: BundleReads },
): LeafMethods {
  const { listAround, listEntries, listVersions } = TREE_STATEMENTS(compiler)

  /** The row that holds the event, if it has a leaf. */
  async function findRow(
    task: string,
    { at, version }: { readonly at: number; readonly version: number },
  ): Promise<LeafRun | undefined> {
    const isOurs = (run: LeafRun): boolean => findEntry(run, task, version) !== -1
    let [lastAt, position] = [at, -1]
    for (;;) {
      const around = { at, lastAt, position, limit: ROWS_AROUND }
      // oxlint-disable-next-line no-await-in-loop -- the next rows only if these don't have it
      const rows = await read(listAround, around)
      const row = rows.find(isOurs)
      const end = rows.at(-1)
      if (row !== undefined) return row
      if (end === undefined) return bundles.findRunAround(at, isOurs)
      ;({ lastAt, position } = end)
    }
  }

  return {
    hasLeaf: async (event) => (await findRow(event.task, event)) !== undefined,
    async findLeaf({ at, task, version }) {
      const row = await findRow(task, { at, version })
      return row && row.position + findEntry(row, task, version)
    },
    async readLeaves(task) {
      const events: readonly Pick<StoredEvent, "at" | "hash" | "version">[] =
        await archived.readRows(task, {
          read: () => read(listVersions, { task }),
          fromStream: (stream) => stream.events,
        })
      const indexes = new Map<number, number>()
      for (const event of events) {
        if (indexes.has(event.version)) continue
        // oxlint-disable-next-line no-await-in-loop -- one row often has all events of a task
        const row = await findRow(task, event)
        for (const [offset, [ofTask, version]] of (row?.entries ?? []).entries()) {
          if (ofTask === task) indexes.set(version, (row?.position ?? 0) + offset)
        }
      }
      return events.flatMap(({ hash, version }): TreeLeaf[] => {
        const index = indexes.get(version)
        return index === undefined ? [] : [{ version, hash, index }]
      })
    },
    async listLeaves({ from, limit }) {
      const end = from + limit
      const rows = await read(listEntries, { above: from - ROW_ENTRIES, below: end })
      // Read afterwards: what was archived meanwhile is among the rows, or in its bundle.
      const old = await bundles.listRuns({ start: from, end: rows[0]?.position ?? end })
      return [...old, ...rows].flatMap((run) => takeLeaves(run, from, end))
    },
  }
}

function takeLeaves(
  { entries, position }: Pick<LeafRun, "entries" | "position">,
  from: number,
  end: number,
): readonly LeafEvent[] {
  return entries
    .slice(Math.max(0, from - position), Math.max(0, end - position))
    .map(([task, version]) => ({ task, version }))
}

/** Its place in the row; -1 if it is not there. */
function findEntry({ entries }: LeafRun, task: string, version: number): number {
  return entries.findIndex(([ofTask, ofVersion]) => ofTask === task && ofVersion === version)
}
