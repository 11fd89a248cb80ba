/** The contract of `TreeStorage`: what has no leaf yet, and who gives it one. */
import assert from "node:assert/strict"
import type { UnsequencedEvent, UnsequencedEvents } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { submitSample } from "./sample-task.ts"
import { toIds, type StorageFixture } from "./storage-fixture.ts"
import {
  addSamples,
  addTasks,
  assertInOrder,
  assertSame,
  EMPTY,
  extend,
  toExtension,
  toName,
  toSamples,
} from "./tree-samples.ts"

const NONE: UnsequencedEvents = { events: [], notes: [] }

/** More than a page of tasks that a storage may note at once. */
const MANY = 1_100

export const TREE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "there is no tree before it is opened, and nothing to sequence": async ({ storage }) => {
    await storage.append(submitSample({ id: "t" }).append)
    assert.equal(await storage.readTree(), undefined)
    assert.deepEqual(await storage.listUnsequenced(10), NONE)
    assert.equal(await storage.countUnsequenced(), 0)
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
      assert.equal(await storage.countUnsequenced(), 450 - all.length)
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
}
