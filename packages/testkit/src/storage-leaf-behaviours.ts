/** The contract of `TreeStorage`: the leaves, tiles and checkpoints that it keeps. */
import assert from "node:assert/strict"
import type { UnsequencedEvent } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { toIds, type StorageFixture } from "./storage-fixture.ts"
import {
  addSamples,
  assertSame,
  EMPTY,
  extend,
  toBytes,
  toExtension,
  toSamples,
} from "./tree-samples.ts"

/** Among them what nearly is a UUID. */
const NAMES = [
  "01939f6a-7c2e-7b1d-8a4f-0123456789ab",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "01939F6A-7C2E-7B1D-8A4F-0123456789AB",
  "01939f6a-7c2e-7b1d-8a4f-0123456789ag",
  "01939f6a07c2e-7b1d-8a4f-0123456789ab",
  "01939f6a-7c2e-7b1d-8a4f-01234567é89a",
  "sixteen letters.",
  "a",
  'täsk "№ 1", [of] two',
]

export const LEAF_BEHAVIOURS: Behaviours<StorageFixture> = {
  "leaves are found by task and read in their order, however many came at once": async (
    fixture,
  ) => {
    const { storage } = fixture
    const ids = toIds(250)
    for (const [index, id] of ids.entries()) {
      const [first, second] = toSamples(id, 10_000 - (index % 7) * 900)
      await addSamples(storage, [first, second])
    }
    await storage.openTree()
    const all: UnsequencedEvent[] = []
    let head = EMPTY
    for (const limit of [1, 3, 600, 10, 1_000]) {
      const listed = await storage.listUnsequenced(limit)
      head = await extend(storage, head, listed)
      all.push(...listed.events)
    }
    assert.equal(all.length, 750)
    const reopened = await fixture.reopen()
    assert.deepEqual(await reopened.readTree(), head)
    const leaves = all.map(({ task, version }) => ({ task, version }))
    for (const [from, limit] of [
      [0, 750],
      [0, 1],
      [1, 3],
      [255, 2],
      [600, 1_000],
      [749, 5],
      [750, 5],
    ] as const) {
      const listed = await reopened.listLeaves({ from, limit })
      assert.deepEqual(listed, leaves.slice(from, from + limit))
    }
    for (const id of ids.filter((_, index) => index % 25 === 0)) {
      const expected = all
        .map(({ hash, task, version }, index) => ({ task, leaf: { version, hash, index } }))
        .filter(({ task }) => task === id)
        .map(({ leaf }) => leaf)
      assert.deepEqual(await reopened.readLeaves(id), expected)
    }
    assert.deepEqual(await reopened.readLeaves("nobody's"), [])
    const found = await Promise.all(all.map((event) => reopened.findLeaf(event)))
    assert.deepEqual(found, [...all.keys()])
    const stranger = { at: 10_000, task: "nobody's", version: 1 }
    assert.equal(await reopened.findLeaf(stranger), undefined)
  },

  "tasks of any name, and events of any version, have the leaves that they were given": async ({
    storage,
  }) => {
    await storage.openTree()
    for (const id of NAMES) await addSamples(storage, toSamples(id))
    const listed = await storage.listUnsequenced(1_000)
    assertSame(
      listed.events,
      NAMES.map((id) => toSamples(id)),
    )
    const versions = [1, 255, 256, 2 ** 31 - 1]
    const invented = NAMES.flatMap((task) =>
      versions.map((version) => ({ task, version, at: 5, hash: "ab".repeat(32) })),
    )
    let head = await extend(storage, EMPTY, listed)
    for (const event of [undefined, ...invented]) {
      const events = event === undefined ? invented : [event]
      head = await extend(storage, head, { events, notes: [] })
    }
    const all = [...listed.events, ...invented, ...invented]
    const leaves = all.map(({ task, version }) => ({ task, version }))
    assert.deepEqual(await storage.listLeaves({ from: 0, limit: 1_000 }), leaves)
  },

  "events without a leaf are missing among a task's leaves": async ({ storage }) => {
    await storage.openTree()
    const [first, second] = toSamples("t")
    await storage.append(first.append)
    const listed = await storage.listUnsequenced(2)
    await extend(storage, EMPTY, listed)
    await storage.append(second.append)
    const [submitted] = first.append.events
    const [succeeded] = second.append.events
    assert.ok(submitted && succeeded)
    assert.equal(await storage.findLeaf(submitted), 0)
    assert.equal(await storage.findLeaf(succeeded), undefined)
    const leaf = { version: 1, hash: submitted.hash, index: 0 }
    assert.deepEqual(await storage.readLeaves("t"), [leaf])
  },

  "a tile is as wide as it was made last, to the byte": async (fixture) => {
    const { storage } = fixture
    await storage.openTree()
    const [one, other] = toSamples("t")
    await storage.append(one.append)
    const narrow = { level: 0, index: 5, hashes: toBytes(1) }
    const wide = { level: 0, index: 5, hashes: toBytes(256) }
    const above = { level: 3, index: 5, hashes: toBytes(2) }
    const first = toExtension(EMPTY, await storage.listUnsequenced(3))
    assert.equal(await storage.extendTree({ ...first, tiles: [narrow] }), true)
    assert.deepEqual(await storage.readTile(narrow), narrow.hashes)
    assert.equal(await storage.readTile(above), undefined)
    await storage.append(other.append)
    const second = toExtension(first.to, await storage.listUnsequenced(3))
    assert.equal(await storage.extendTree({ ...second, tiles: [wide, above] }), true)
    const reopened = await fixture.reopen()
    assert.deepEqual(await reopened.readTile(wide), wide.hashes)
    assert.deepEqual(await reopened.readTile(above), above.hashes)
    assert.equal(await reopened.readTile({ level: 3, index: 4 }), undefined)
  },

  "checkpoints are found by size, and the first of a size stays": async (fixture) => {
    const { storage } = fixture
    assert.equal(await storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER }), undefined)
    const [one, two] = [toCheckpoint(3), toCheckpoint(9_007_199_254_740_991)]
    await storage.keepCheckpoint(two)
    await storage.keepCheckpoint(one)
    await storage.keepCheckpoint({ ...one, note: "another" })
    const reopened = await fixture.reopen()
    assert.deepEqual(await reopened.findCheckpoint({ mostSize: 2 }), undefined)
    assert.deepEqual(await reopened.findCheckpoint({ mostSize: 3 }), one)
    assert.deepEqual(await reopened.findCheckpoint({ mostSize: 4 }), one)
    assert.deepEqual(await reopened.findCheckpoint({ mostSize: two.size }), two)
  },
}

function toCheckpoint(size: number) {
  return { size, at: 1_767_225_600_000, note: `example.com/log\n${size}\n\n— é\n` }
}
