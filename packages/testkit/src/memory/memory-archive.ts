/**
 * The archive, in the storage in memory: it only knows which tasks are archived, and moves nothing, so that no read needs
 * a reader.
 */
import {
  SafelightError,
  type ArchivePart,
  type ArchiveSegment,
  type ArchiveStorage,
  type TaskRow,
  type TreeArchive,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"
import type { MemoryQueue } from "./memory-queue.ts"
import type { MemoryTables } from "./memory-tables.ts"

export function createMemoryArchive(
  { inputs, rows }: Pick<MemoryTables, "inputs" | "rows">,
  places: Pick<MemoryQueue, "findPlace" | "findRetainedAt">,
): Omit<ArchiveStorage, keyof TreeArchive> {
  let last = 0
  /** When those that are being written were begun. */
  const begun = new Map<number, number>()
  const segments = new Map<number, ArchiveSegment>()
  /** Where each archived task is, as text. */
  const archived = new Map<string, string>()

  function countIn(segment: number): number {
    return [...archived.values()].filter((text) => text.split(" ")[1] === String(segment)).length
  }

  return {
    useArchive() {},
    async listArchivable({ after, below, finishedBefore, limit }) {
      const tasks = [...rows.values()]
        .filter(({ finishedAt }) => finishedAt > 0 && finishedAt < finishedBefore)
        .map(({ id }) => id)
        .filter((id) => compareIds(id, after) > 0 && compareIds(id, below) < 0)
        .filter((id) => !archived.has(id) && !isDue(id, inputs, places))
        .toSorted(compareIds)
      const page = tasks.slice(0, limit)
      return { tasks: page, next: tasks.length > limit ? (page.at(-1) ?? null) : null }
    },
    async beginSegment({ at, withinMs }) {
      if ([...begun.values()].some((begunAt) => Math.abs(begunAt - at) < withinMs)) return undefined
      begun.clear()
      last += 1
      begun.set(last, at)
      return last
    },
    async keepSegment(segment) {
      const at = begun.get(segment.id)
      if (at === undefined) {
        throw new SafelightError({ code: "version-conflict", message: "the segment was given up" })
      }
      begun.delete(segment.id)
      segments.set(segment.id, { ...segment, at })
    },
    listSegments: async () =>
      [...segments.values()].map((segment) => ({ ...segment, taskCount: countIn(segment.id) })),
    async archiveTasks({ part, tasks }) {
      if (!segments.has(part.segment)) return 0
      const moved = tasks.filter(
        ({ hash, task }) => rows.get(task)?.hash === hash && !archived.has(task),
      )
      for (const { task } of moved) archived.set(task, toText(rows.get(task), part))
      return moved.length
    },
    async restoreTasks(part) {
      const there = [...archived].filter(([task, text]) => text === toText(rows.get(task), part))
      for (const [task] of there) archived.delete(task)
      return there.length
    },
    dropSegment: async (id) => countIn(id) === 0 && segments.delete(id),
  }
}

function isDue(
  task: string,
  inputs: MemoryTables["inputs"],
  places: Pick<MemoryQueue, "findPlace" | "findRetainedAt">,
): boolean {
  const isPlaced = places.findPlace(task) !== undefined
  if (isPlaced || places.findRetainedAt(task) !== undefined) return true
  return [...inputs.values()].some((input) => input.task === task)
}

function toText(row: TaskRow | undefined, { bytes, offset, segment }: ArchivePart): string {
  return [row?.hash, segment, offset, bytes].join(" ")
}
