/** The contract of `TreeArchive`. Tiles, roots and files are made up: what reads them here remembers what was archived. */
import assert from "node:assert/strict"
import {
  BUNDLE_LEAVES,
  SafelightError,
  type LeafEvent,
  type Storage,
  type TreeBundle,
  type TreeTile,
  type UnsequencedEvent,
} from "@safelight/core"
import { createSampleArchive, toArchivedBundle, toRoot } from "./archive-samples.ts"
import type { Behaviours } from "./contract.ts"
import { assertRejects, type StorageFixture } from "./storage-fixture.ts"
import { addSamples, EMPTY, toBytes, toSamples } from "./tree-samples.ts"

/** Every leaf has a moment of its own, and leaf 0 that of the first. */
const FIRST_AT = 1_000_000
const NEVER = { before: Number.MAX_SAFE_INTEGER }

/** A task that is in the log: its events are the first of the second bundle. */
const LOGGED = "logged"
const SAMPLES = toSamples(LOGGED)
const LOGGED_EVENTS = SAMPLES.flatMap(({ append }) => append.events)

export const BUNDLE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a bundle may be archived once all its leaves are there and old enough, and no sooner": async ({
    storage,
  }) => {
    assert.equal(await storage.readBundle(NEVER), undefined)
    await storage.openTree()
    await addLeaves(storage, 0, BUNDLE_LEAVES - 1)
    assert.equal(await storage.readBundle(NEVER), undefined)
    await addLeaves(storage, BUNDLE_LEAVES - 1, 2)
    const lastAt = toEvent(BUNDLE_LEAVES).at
    assert.equal(await storage.readBundle({ before: lastAt }), undefined)
    const bundle = await readBundle(storage)
    assertWhole(bundle, 0)
    assert.deepEqual(await storage.listBundles(), [])
  },

  "every read of an archived part of the tree gives what it gave before, also once the storage was opened anew":
    async (fixture) => {
      let { storage } = fixture
      await fill(storage)
      const before = await readEverything(storage)
      const archive = createSampleArchive()
      storage.useArchive(archive)
      for (const id of [0, 1]) {
        const bundle = await readBundle(storage)
        assertWhole(bundle, id)
        await archive.addBundle(storage, bundle)
        assert.deepEqual(await readEverything(storage), before)
      }
      assert.equal(await storage.readBundle(NEVER), undefined)
      storage = await fixture.reopen()
      storage.useArchive(archive)
      assert.deepEqual(await readEverything(storage), before)
      const ids = (await storage.listBundles()).map(({ id }) => id)
      assert.deepEqual(ids, [0, 1])
      for (const index of [600, Number.MAX_SAFE_INTEGER]) {
        assert.equal(await storage.readTile({ level: 0, index }), undefined)
      }
      const from = 200_000
      const limit = Number.MAX_SAFE_INTEGER - from
      assert.deepEqual(await storage.listLeaves({ from, limit }), [])
    },

  "an archived part of the tree is read from its file alone": async ({ storage }) => {
    await fill(storage)
    const archive = createSampleArchive()
    await archive.addBundle(storage, await readBundle(storage))
    const reads = [
      () => storage.readTile({ level: 0, index: 0 }),
      () => storage.listLeaves({ from: 5, limit: 1 }),
      () => storage.findLeaf(toEvent(5)),
    ]
    for (const read of reads) await assertRejects(read(), "storage-unavailable")
    storage.useArchive(archive)
    archive.fail(new SafelightError({ code: "storage-corrupt", message: "it is gone" }))
    for (const read of reads) await assertRejects(read(), "storage-corrupt")
    assert.equal(await storage.findLeaf(toEvent(BUNDLE_LEAVES + 700)), BUNDLE_LEAVES + 700)
    assert.deepEqual(await storage.readTile({ level: 0, index: 256 }), toTile(256).hashes)
    const [leaf] = await storage.listLeaves({ from: BUNDLE_LEAVES + 100, limit: 1 })
    assert.equal(leaf?.task, toEvent(BUNDLE_LEAVES + 100).task)
  },

  "of several bundles that have an event's moment, no more are read than it takes to find it":
    async ({ storage }) => {
      await fill(storage)
      const archive = createSampleArchive()
      await archive.addBundle(storage, await readBundle(storage))
      await archive.addBundle(storage, await readBundle(storage))
      const read: number[] = []
      storage.useArchive({
        ...archive,
        async readRuns(request) {
          read.push(request.bundle.id)
          return archive.readRuns(request)
        },
      })
      // The second has the events of the task in the log, which are older than all of the first.
      assert.equal(await storage.findLeaf(toEvent(5)), 5)
      assert.deepEqual(new Set(read), new Set([0]))
    },

  "of two that archive a bundle one does, and none archives one out of turn": async ({
    storage,
  }) => {
    await fill(storage)
    const bundle = toArchivedBundle(await readBundle(storage))
    assert.equal(await storage.archiveBundle({ ...bundle, id: 1 }), false)
    const locators = ["first", "other", "third"]
    const outcomes = await Promise.all(
      locators.map((locator) => storage.archiveBundle({ ...bundle, locator })),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    const locator = locators[outcomes.indexOf(true)] ?? assert.fail()
    assert.deepEqual(await storage.listBundles(), [{ ...bundle, locator }])
    assert.equal(await storage.archiveBundle(bundle), false)
  },
}

/** Two bundles and some leaves more. */
async function fill(storage: Storage): Promise<void> {
  await storage.openTree()
  await addSamples(storage, SAMPLES)
  await addLeaves(storage, 0, BUNDLE_LEAVES)
  const { notes } = await storage.listUnsequenced(9)
  assert.ok(notes.length > 0)
  await addLeaves(storage, BUNDLE_LEAVES, BUNDLE_LEAVES + 300, notes)
}

/** No run of theirs ends where a bundle does. */
async function addLeaves(
  storage: Storage,
  start: number,
  count: number,
  notes: readonly number[] = [],
): Promise<void> {
  const from = (await storage.readTree()) ?? EMPTY
  assert.equal(from.size, start)
  const events = Array.from({ length: count }, (_, index) => toEvent(start + index))
  const size = start + count
  const to = { size, root: size.toString(16).padStart(64, "0") }
  const first = Math.floor(start / 256)
  const places = Array.from({ length: Math.ceil(size / 256) - first }, (_, place) => first + place)
  const tiles = [...places.map(toTile), toTileAbove(0), toTileAbove(1)]
  const extension = { from, to, unsequenced: { events, notes }, tiles }
  assert.equal(await storage.extendTree(extension), true)
}

/** Of leaf `index`; those of the task in the log come first in the second bundle. */
function toEvent(index: number): UnsequencedEvent {
  const logged = LOGGED_EVENTS[index - BUNDLE_LEAVES]
  if (logged !== undefined) return logged
  const task = `task-${index >> 1}`
  return { task, version: 1 + (index % 2), at: FIRST_AT + index, hash: "ab".repeat(32) }
}

function toTile(index: number): TreeTile {
  return { level: 0, index, hashes: toBytes(256).map((byte) => (byte + index) % 256) }
}

function toTileAbove(index: number): TreeTile {
  const roots = Array.from({ length: 256 }, (_, place) => toRoot(index * 256 + place))
  return { level: 1, index, hashes: new Uint8Array(Buffer.concat(roots)) }
}

async function readBundle(storage: Storage): Promise<TreeBundle> {
  return (await storage.readBundle(NEVER)) ?? assert.fail("no bundle is whole")
}

function assertWhole({ id, runs, tiles }: TreeBundle, expected: number): void {
  assert.equal(id, expected)
  const places = Array.from({ length: 256 }, (_, place) => toTile(id * 256 + place).hashes)
  assert.ok(Buffer.concat(places).equals(tiles))
  const start = id * BUNDLE_LEAVES
  for (const { entries, firstAt, lastAt, position } of runs) {
    assert.ok(position >= start && position < start + BUNDLE_LEAVES)
    const events = entries.map((_, offset) => toEvent(position + offset))
    assert.deepEqual(
      entries,
      events.map(({ task, version }) => [task, version]),
    )
    const moments = events.map(({ at }) => at)
    assert.deepEqual([firstAt, lastAt], [Math.min(...moments), Math.max(...moments)])
  }
  const covered = runs.reduce((sum, { entries }) => sum + entries.length, 0)
  assert.ok(covered > BUNDLE_LEAVES - 256 && covered < BUNDLE_LEAVES + 256)
}

async function readEverything(storage: Storage): Promise<unknown> {
  const places = [0, 1, 255, 256, 65_535, 65_536, 65_537, 65_538, 65_539, 131_071, 131_072, 131_300]
  const found = await Promise.all(places.map((index) => storage.findLeaf(toEvent(index))))
  assert.deepEqual(found, places)
  const lists: (readonly LeafEvent[])[] = []
  for (const from of [0, 250, 65_400, 65_535, 65_536, 131_000, 131_072, 131_371]) {
    const list = await storage.listLeaves({ from, limit: 300 })
    const expected = Array.from({ length: list.length }, (_, offset) => toEvent(from + offset))
    assert.deepEqual(
      list,
      expected.map(({ task, version }) => ({ task, version })),
    )
    lists.push(list)
  }
  const tiles = await Promise.all(
    [0, 255, 256, 511, 512].map(async (index) => {
      const hashes = await storage.readTile({ level: 0, index })
      assert.deepEqual(hashes, toTile(index).hashes)
      return hashes
    }),
  )
  const stranger = { task: "nobody's", version: 1, at: FIRST_AT + 70_000 }
  assert.equal(await storage.findLeaf(stranger), undefined)
  return { lists, tiles, leaves: await storage.readLeaves(LOGGED) }
}
