/** An archive that remembers what was archived, and what is read of a storage, for the contract of `ArchiveStorage`. */
import assert from "node:assert/strict"
import {
  type ArchivedBundle,
  type ArchivedStream,
  type ArchivePart,
  type ArchiveReader,
  type ArchiveSegment,
  type SafelightError,
  type Storage,
  type TreeBundle,
} from "@safelight/core"
import {
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
  type SampleAppend,
} from "./sample-task.ts"

export interface SampleArchive extends ArchiveReader {
  /** Remembers the tasks as a part of a segment of their own, and archives them. */
  add(storage: Storage, tasks: readonly string[]): Promise<ArchivePart>
  /** The same, and archives none. */
  write(storage: Storage, tasks: readonly string[]): Promise<ArchivePart>
  namesOf(part: ArchivePart): readonly { readonly task: string; readonly hash: string }[]
  exchange(part: ArchivePart, streams: readonly ArchivedStream[]): void
  /** Remembers the bundle, and archives it. */
  addBundle(storage: Storage, bundle: TreeBundle): Promise<void>
  fail(error: SafelightError): void
}

export function createSampleArchive(): SampleArchive {
  const parts = new Map<string, readonly ArchivedStream[]>()
  const bundles = new Map<number, TreeBundle>()
  let failure: SafelightError | undefined

  const archive: SampleArchive = {
    async read({ bytes, offset, segment }) {
      if (failure !== undefined) throw failure
      return parts.get(toName({ segment: segment.id, offset, bytes })) ?? assert.fail()
    },
    async write(storage, tasks) {
      const streams = await Promise.all(
        tasks.map(async (task) => {
          const events = await storage.readEvents(task)
          return { task, events }
        }),
      )
      const id = (await storage.beginSegment({ at: 2, withinMs: 1 })) ?? assert.fail()
      await storage.keepSegment(toSegment(id, 2))
      const part = { segment: id, offset: 2 ** 40, bytes: 77 }
      parts.set(toName(part), streams)
      return part
    },
    async add(storage, tasks) {
      const part = await archive.write(storage, tasks)
      const names = archive.namesOf(part)
      assert.equal(await storage.archiveTasks({ part, tasks: names }), tasks.length)
      return part
    },
    namesOf: (part) =>
      (parts.get(toName(part)) ?? []).map(({ events, task }) => ({
        task,
        hash: events.at(-1)?.hash ?? assert.fail(),
      })),
    exchange: (part, streams) => void parts.set(toName(part), streams),
    async readTile({ bundle: { id }, index, root }) {
      if (failure !== undefined) throw failure
      const { tiles } = bundles.get(id) ?? assert.fail()
      assert.deepEqual(root, toRoot(index))
      return tiles.slice((index % TILES) * TILE_BYTES, ((index % TILES) + 1) * TILE_BYTES)
    },
    async readRuns({ at, bundle: { id }, from, to }) {
      if (failure !== undefined) throw failure
      const { runs } = bundles.get(id) ?? assert.fail()
      return runs
        .filter(({ entries, position }) => position < to && position + entries.length > from)
        .filter(({ firstAt, lastAt }) => at === undefined || (firstAt <= at && at <= lastAt))
    },
    async addBundle(storage, bundle) {
      bundles.set(bundle.id, bundle)
      assert.equal(await storage.archiveBundle(toArchivedBundle(bundle)), true)
    },
    fail(error) {
      failure = error
    },
  }
  return archive
}

const TILES = 256
const TILE_BYTES = 8_192

/** Made up: what the tile above is to have of tile `index` of level 0. */
export function toRoot(index: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, place) => (index * 7 + place) % 256)
}

export function toArchivedBundle({ id, runs }: TreeBundle): ArchivedBundle {
  const firstAt = Math.min(...runs.map((run) => run.firstAt))
  const lastAt = Math.max(...runs.map((run) => run.lastAt))
  const hashes = { sha256: "cd".repeat(32), runsSha256: "ef".repeat(32) }
  return { id, at: 3, firstAt, lastAt, locator: `00/archive/tree/${id}`, bytes: 9_000, ...hashes }
}

function toName({ bytes, offset, segment }: ArchivePart): string {
  return `${segment} ${offset} ${bytes}`
}

export function toSegment(id: number, at: number): ArchiveSegment {
  const locator = `00/archive/segment/${id}`
  return { id, at, locator, bytes: 5_000, sha256: "cd".repeat(32), taskCount: 0, eventCount: 6 }
}

export async function readEverything(storage: Storage, tasks: readonly string[]): Promise<unknown> {
  const account = "account"
  return {
    each: await Promise.all(
      tasks.map(async (task) => {
        const head = (await storage.readTask(task)) ?? assert.fail()
        const events = await storage.readEvents(task)
        const page = await storage.readEvents(task, { after: 1, limit: 1 })
        assert.deepEqual(page, events.slice(1, 2))
        const past = await storage.readEvents(task, { after: events.length, limit: 1 })
        assert.deepEqual(past, [])
        return { head, events }
      }),
    ),
    list: await storage.listTasks({ account, limit: 10 }),
    byStatus: await storage.listTasks({ account, status: "succeeded", limit: 10 }),
    all: await storage.listAllTasks({ limit: 10 }),
    scan: await storage.scan({ after: "", limit: 10 }),
    charges: await storage.listCharges({ account, from: 0, to: 2 ** 50, limit: 10 }),
    outcomes: await storage.groupOutcomes({ by: "account", from: 0, to: 2 ** 50, limit: 10 }),
    totals: await storage.scanTotals(),
  }
}

export function toFinished(id: string): readonly SampleAppend[] {
  const submitted = submitSample({ id })
  const dispatched = advanceSample(submitted.head, [dispatchSample()])
  return [submitted, dispatched, advanceSample(dispatched.head, [succeedSample(2)])]
}

export async function appendFinished(
  storage: Storage,
  id: string,
): Promise<readonly SampleAppend[]> {
  const samples = toFinished(id)
  await appendAll(storage, samples)
  return samples
}

export async function appendAll(storage: Storage, samples: readonly SampleAppend[]): Promise<void> {
  for (const { append } of samples) await storage.append(append)
}
