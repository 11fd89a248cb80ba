/** Reading tasks from the storage in memory, and the few changes that are no append. */
import { REQUEST_INPUT, type ReadRequests, type ReadyFacts, type Storage } from "@safelight/core"
import { compareIds } from "./compare-ids.ts"
import { listAllRows, listRows } from "./list-rows.ts"
import type { MemoryQueue } from "./memory-queue.ts"
import { findHead, type MemoryTables } from "./memory-tables.ts"

export type MemoryReads = Pick<
  Storage,
  | "eraseInputs"
  | "findIdempotency"
  | "forgetIdempotency"
  | "listAllTasks"
  | "listTasks"
  | "readEvents"
  | "readInput"
  | "readLabels"
  | "readRequests"
  | "readTask"
  | "replaceTaskRow"
  | "scan"
>

type Places = Pick<MemoryQueue, "findPlace" | "findRetainedAt" | "listPlaced" | "put">

export function createMemoryReads(tables: MemoryTables, places: Places): MemoryReads {
  const { events, inputs, labels, rows } = tables
  return {
    readTask: async (id) => findHead(tables, id),
    listAllTasks: async (request) => listAllRows(tables, request),
    listTasks: async (request) => listRows(tables, request),
    readEvents: async (task, { after, limit } = { after: 0, limit: Infinity }) =>
      (events.get(task) ?? []).slice(after, after + limit),
    readInput: async ({ task, name }) => inputs.get(`${task}/${name}`),
    readRequests: async (request) => readBodies(tables, request),
    readLabels: async (task) => labels.get(task) ?? {},
    async eraseInputs(task, { keepsNames } = { keepsNames: false }) {
      const written = [...inputs.values()].filter((input) => input.task === task)
      for (const { name } of written) inputs.delete(`${task}/${name}`)
      if (keepsNames) return written.length > 0
      const hadLabels = Object.keys(labels.get(task) ?? {}).length > 0
      labels.delete(task)
      const uses = tables.uses.filter((use) => use.task !== task)
      const hadKey = uses.length < tables.uses.length
      tables.uses = uses
      return written.length > 0 || hadLabels || hadKey
    },
    async findIdempotency({ account, key }) {
      const found = tables.uses.find((use) => use.account === account && use.key === key)
      return found && { task: found.task, fingerprint: found.fingerprint }
    },
    async forgetIdempotency({ usedBefore, limit }) {
      const oldest = tables.uses
        .filter(({ usedAt }) => usedAt < usedBefore)
        .toSorted((a, b) => a.usedAt - b.usedAt)
        .slice(0, limit)
      tables.uses = tables.uses.filter((use) => !oldest.includes(use))
      return oldest.length
    },
    async scan({ after, limit }) {
      const known = [...new Set([...rows.keys(), ...events.keys(), ...places.listPlaced()])]
      const ids = known.filter((id) => compareIds(id, after) > 0).toSorted(compareIds)
      const streams = ids.slice(0, limit).map((id) => ({
        id,
        events: events.get(id) ?? [],
        row: rows.get(id),
        charge: tables.charges.get(id),
        outcomes: tables.outcomes.get(id) ?? [],
        ready: toReadyFacts(places.findPlace(id)),
        retainedAt: places.findRetainedAt(id),
        hasInputs: [...inputs.values()].some(({ task }) => task === id),
      }))
      return { streams, next: ids.length > limit ? (ids[limit - 1] ?? null) : null }
    },
    async replaceTaskRow(row, place) {
      const known = rows.get(row.id)
      if (known?.version !== row.version || known.hash !== row.hash) return
      rows.set(row.id, row)
      if (place !== undefined) places.put(row, place)
    },
  }
}

function readBodies(
  { inputs }: Pick<MemoryTables, "inputs">,
  { mostBytes, tasks }: ReadRequests,
): ReadonlyMap<string, string> {
  const bodies = tasks.map((task) => [task, inputs.get(`${task}/${REQUEST_INPUT}`)?.body] as const)
  return new Map(bodies.filter((each) => isWithin(each, mostBytes)))
}

function isWithin(
  entry: readonly [string, string | undefined],
  mostBytes: number,
): entry is readonly [string, string] {
  return entry[1] !== undefined && new TextEncoder().encode(entry[1]).length <= mostBytes
}

function toReadyFacts(place: ReadyFacts | undefined): ReadyFacts | undefined {
  return place && { account: place.account, endBy: place.endBy, model: place.model }
}
