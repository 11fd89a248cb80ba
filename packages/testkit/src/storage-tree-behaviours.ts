/** The contract of `TreeStorage`. Hashes of tiles and roots are made up: a storage computes none. */
import assert from "node:assert/strict"
import type {
  Storage,
  TreeHead,
  TreeStorage,
  UnsequencedEvent,
  UnsequencedEvents,
} from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, type SampleAppend } from "./sample-task.ts"
import { toIds, type StorageFixture } from "./storage-fixture.ts"

const NONE: UnsequencedEvents = { events: [], notes: [] }

const EMPTY: TreeHead = {
  size: 0,
  root: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
}

/** More than a page of tasks that a storage may note at once. */
const MANY = 1_100

export const TREE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "there is no tree before it is opened, and nothing to sequence": async ({ storage }) => {
    await storage.append(submitSample({ id: "t" }).append)
    assert.equal(await storage.readTree(), undefined)
    assert.deepEqual(await storage.listUnsequenced(10), NONE)
    assert.deepEqual(await storage.readLeaves("t"), [])
    assert.equal(await storage.findLeaf({ at: 1_000, task: "t", version: 1 }), undefined)
    assert.equal(await storage.extendTree(toExtension(EMPTY, NONE)), false)
  },

  "a tree that is opened has every event that there was, each task's in order, and opening it again changes nothing":
    async ({ storage }) => {
      const samples = await addTasks(storage, MANY)
      await storage.openTree()
      assert.deepEqual(await storage.readTree(), EMPTY)
      const listed = await storage.listUnsequenced(3 * MANY)
      assertSame(listed.events, samples)
      assertInOrder(listed.events)
      await storage.openTree()
      assert.deepEqual(await storage.listUnsequenced(3 * MANY), listed)
    },

  "two processes that open a tree together, while tasks are added, have each event once": async ({
    storage,
  }) => {
    const before = await addTasks(storage, 20)
    const after = toIds(40).slice(20).map(toSamples)
    await Promise.all([
      storage.openTree(),
      ...after.slice(0, 10).map((samples) => addSamples(storage, samples)),
      storage.openTree(),
      ...after.slice(10).map((samples) => addSamples(storage, samples)),
    ])
    const listed = await storage.listUnsequenced(1_000)
    assertSame(listed.events, [...before, ...after])
    assertInOrder(listed.events)
  },

  "events that are noted while a tree is opened have one leaf each, however they are listed":
    async ({ storage }) => {
      const before = await addTasks(storage, 5)
      const during = toIds(60)
        .slice(5)
        .map((id) => toSamples(id))
      await Promise.all([
        storage.openTree(),
        ...during.map((samples) => addSamples(storage, samples)),
      ])
      const all: UnsequencedEvent[] = []
      let head = EMPTY
      for (;;) {
        const listed = await storage.listUnsequenced(4)
        if (listed.notes.length === 0) break
        head = await extend(storage, head, listed)
        all.push(...listed.events)
      }
      assertSame(all, [...before, ...during])
      assertInOrder(all)
      assert.equal(head.size, all.length)
    },

  "an event is listed from its commit until it has a leaf": async ({ storage }) => {
    await storage.openTree()
    assert.deepEqual(await storage.listUnsequenced(10), NONE)
    const [first, second] = toSamples("t")
    await storage.append(first.append)
    const [submitted] = first.append.events
    const listed = await storage.listUnsequenced(10)
    assert.deepEqual(listed.events.map(toName), [
      [submitted?.task, 1, submitted?.at, submitted?.hash],
    ])
    assert.deepEqual(await storage.listUnsequenced(10), listed)
    await storage.append(second.append)
    assert.deepEqual(await storage.listUnsequenced(1), listed)
    const head = await extend(storage, EMPTY, listed)
    const next = await storage.listUnsequenced(10)
    assertSame(next.events, [[second]])
    assertInOrder([...listed.events, ...next.events])
    await extend(storage, head, next)
    assert.deepEqual(await storage.listUnsequenced(10), NONE)
  },

  "a list ends behind the note that reaches its limit, and the next goes on there": async ({
    storage,
  }) => {
    await storage.openTree()
    const samples = await addTasks(storage, 150)
    const all: UnsequencedEvent[] = []
    let head = EMPTY
    for (const limit of [1, 2, 100, 1_000]) {
      const listed = await storage.listUnsequenced(limit)
      assert.ok(listed.events.length >= Math.min(limit, 450 - all.length))
      head = await extend(storage, head, listed)
      all.push(...listed.events)
    }
    assertSame(all, samples)
    assertInOrder(all)
  },

  "an append that is refused, or repeated, leaves nothing to sequence": async ({ storage }) => {
    await storage.openTree()
    const [first, second] = toSamples("t")
    await storage.append(first.append)
    await storage.append(first.append)
    await assert.rejects(storage.append(submitSample({ id: "t", now: 2_000 }).append))
    await storage.append(second.append)
    await storage.append(second.append)
    assertSame((await storage.listUnsequenced(10)).events, [[first, second]])
  },

  "of two that extend a tree one does, and the other changes nothing": async ({ storage }) => {
    const samples = await addTasks(storage, 30)
    await storage.openTree()
    const extensions = await Promise.all(
      [20, 7, 1].map(async (limit) =>
        toExtension(EMPTY, await storage.listUnsequenced(limit), limit),
      ),
    )
    const outcomes = await Promise.all(extensions.map((each) => storage.extendTree(each)))
    assert.equal(outcomes.filter(Boolean).length, 1)
    const won = extensions[outcomes.indexOf(true)]
    assert.ok(won !== undefined)
    assert.deepEqual(await storage.readTree(), won.to)
    const left = await storage.listUnsequenced(1_000)
    assertSame([...won.unsequenced.events, ...left.events], samples)
    assert.deepEqual(await storage.readTile({ level: 0, index: 0 }), won.tiles[0]?.hashes)
  },

  "a tree of the same size and another root is not extended": async ({ storage }) => {
    await storage.openTree()
    await addTasks(storage, 1)
    const head = await extend(storage, EMPTY, await storage.listUnsequenced(1))
    await addSamples(storage, toSamples("t"))
    const listed = await storage.listUnsequenced(9)
    const other = { ...head, root: "ff".repeat(32) }
    assert.equal(await storage.extendTree(toExtension(other, listed)), false)
    assert.deepEqual(await storage.readTree(), head)
    assert.deepEqual(await storage.listUnsequenced(9), listed)
  },

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

function toSamples(id: string, now = 1_000): readonly [SampleAppend, SampleAppend] {
  const first = submitSample({ id, now })
  const accept = { kind: "accept", operation: { id: "operation" }, upstreamKey: "key-1" } as const
  return [first, advanceSample(first.head, [dispatchSample(), accept], { now: now + 5 })]
}

async function addSamples(storage: Storage, samples: readonly SampleAppend[]): Promise<void> {
  for (const { append } of samples) await storage.append(append)
}

/** Three events a task, in two appends; tasks are added together. */
async function addTasks(storage: Storage, count: number) {
  const all = toIds(count).map((id) => toSamples(id))
  await Promise.all(all.map((samples) => addSamples(storage, samples)))
  return all
}

/** Made up, another for each `choice`. */
function toExtension(from: TreeHead, unsequenced: UnsequencedEvents, choice = 0) {
  const { length } = unsequenced.events
  const size = from.size + length
  const root = `${size}`.padStart(62, "0") + `${choice}`.padStart(2, "0")
  const tiles = [{ level: 0, index: 0, hashes: toBytes(1 + ((length + choice) % 200)) }]
  return { from, to: { size, root }, unsequenced, tiles }
}

async function extend(
  storage: TreeStorage,
  from: TreeHead,
  unsequenced: UnsequencedEvents,
): Promise<TreeHead> {
  const extension = toExtension(from, unsequenced)
  assert.equal(await storage.extendTree(extension), true)
  return extension.to
}

function toBytes(hashes: number): Uint8Array {
  return Uint8Array.from({ length: hashes * 32 }, (_, place) => (place * 31 + hashes) % 256)
}

function toCheckpoint(size: number) {
  return { size, at: 1_767_225_600_000, note: `example.com/log\n${size}\n\n— é\n` }
}

function toName({ at, hash, task, version }: UnsequencedEvent) {
  return [task, version, at, hash]
}

/** Each event of the samples once, and no other. */
function assertSame(
  listed: readonly UnsequencedEvent[],
  samples: readonly (readonly SampleAppend[])[],
): void {
  const expected = samples.flat().flatMap(({ append }) => append.events)
  assert.deepEqual(toSortedNames(listed), toSortedNames(expected))
}

function toSortedNames(events: readonly UnsequencedEvent[]): readonly string[] {
  return events.map((event) => JSON.stringify(toName(event))).toSorted()
}

function assertInOrder(listed: readonly UnsequencedEvent[]): void {
  const versions = new Map<string, number>()
  for (const { task, version } of listed) {
    assert.equal(version, (versions.get(task) ?? 0) + 1, task)
    versions.set(task, version)
  }
}
