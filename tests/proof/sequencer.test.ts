/**
 * The sequencer over a storage that fails, and beside others: every event has one leaf, each task's in order, and the
 * tree is the one that the definitions make of these leaves.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type TreeHead, type TreeStorage } from "@safelight/core"
import {
  createSequencer,
  createTreeSource,
  hashEventEntry,
  proveInclusion,
  verifyInclusion,
} from "@safelight/proof"
import { createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import * as fc from "fast-check"
import { treeHash } from "../support/reference-tree.ts"
import { addTask, assertWhole, readAll } from "../support/sample-log.ts"
import { tree } from "./sample-tree.ts"

async function open(): Promise<MemoryStorage> {
  const storage = createMemoryStorage()
  await storage.openTree()
  return storage
}

async function addTasks(storage: MemoryStorage, from: number, count: number): Promise<void> {
  for (let index = from; index < from + count; index += 1) await addTask(storage, `task-${index}`)
}

describe("a sequencer", () => {
  it("does nothing without a tree, and has the empty root of one without events", async () => {
    const storage = createMemoryStorage()
    const sequencer = createSequencer({ storage, tree })
    assert.equal(await sequencer.sequence(), undefined)
    await storage.openTree()
    const empty = { size: 0, root: Buffer.from(tree.emptyRoot).toString("hex") }
    assert.deepEqual(await sequencer.sequence(), empty)
  })

  it("gives each event a leaf, in batches or at once, to the same tree", async () => {
    const heads: (TreeHead | undefined)[] = []
    for (const batchEvents of [1, 7, 256, 5_000]) {
      const storage = await open()
      const sequencer = createSequencer({ storage, tree, batchEvents })
      await addTasks(storage, 0, 200)
      const head = await sequencer.sequence()
      assert.equal(head?.size, 600)
      await assertWhole(storage)
      heads.push(head)
      await addTasks(storage, 200, 100)
      await sequencer.sequence()
      await assertWhole(storage)
    }
    assert.equal(new Set(heads.map((head) => head?.root)).size, 1)
  })

  it("has a proof for each event that verifies, from the tiles that are kept", async () => {
    const storage = await open()
    await addTasks(storage, 0, 120)
    const head = await createSequencer({ storage, tree }).sequence()
    const { size = 0, root = "" } = head ?? {}
    const source = createTreeSource(storage, { size, tree })
    for (const task of ["task-0", "task-77", "task-119"]) {
      const leaves = await storage.readLeaves(task)
      assert.equal(leaves.length, 3)
      for (const { hash, index, version } of leaves) {
        const leafHash = hashEventEntry(tree, { task, version, hash })
        const proof = await proveInclusion(source, index)
        const claim = { leafHash, index, size, root: Buffer.from(root, "hex"), proof }
        assert.equal(verifyInclusion(tree, claim), true)
        const other = hashEventEntry(tree, { task, version: version + 1, hash })
        assert.equal(verifyInclusion(tree, { ...claim, leafHash: other }), false)
      }
    }
  })

  it("shares the tree with others, restarts at any moment, and passes over nothing", async () => {
    const step = fc.record(
      {
        who: fc.nat(2),
        tasks: fc.nat(3),
        fault: fc.constantFrom("none", "none", "before", "after"),
        isNew: fc.boolean(),
      },
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const storage = await open()
        const faulty = createFaultyStorage(storage)
        const create = () => createSequencer({ storage: faulty.storage, tree, batchEvents: 4 })
        const sequencers = [create(), create(), create()]
        let added = 0
        for (const { fault, isNew, tasks, who } of steps) {
          await addTasks(storage, added, tasks)
          added += tasks
          if (isNew) sequencers[who] = create()
          faulty.fail(fault)
          // A second one is under way at the same time.
          await Promise.allSettled([
            sequencers[who]?.sequence(),
            sequencers[(who + 1) % 3]?.sequence(),
          ])
          faulty.fail("none")
          await assertWhole(storage, { isPartial: true })
        }
        const heads = await Promise.all(sequencers.map((sequencer) => sequencer.sequence()))
        for (const head of heads) assert.equal(head?.size, added * 3)
        await assertWhole(storage)
      }),
      { numRuns: 60 },
    )
  })

  it("begins anew from a database that was set back under it", async () => {
    const storage = await open()
    await addTasks(storage, 0, 100)
    let current: TreeStorage = storage
    const follow: TreeStorage = new Proxy(storage, {
      get: (_, name: keyof TreeStorage) => current[name],
    })
    const sequencer = createSequencer({ storage: follow, tree })
    await sequencer.sequence()
    // As a copy of before has it: fewer tasks, and others that came since.
    const copy = await open()
    await addTasks(copy, 0, 40)
    await createSequencer({ storage: copy, tree }).sequence()
    await addTasks(copy, 1_000, 60)
    current = copy
    const head = await sequencer.sequence()
    assert.equal(head?.size, 300)
    await assertWhole(copy)
  })

  it("refuses tiles that do not make the root", async () => {
    const storage = await open()
    await addTasks(storage, 0, 10)
    await createSequencer({ storage, tree }).sequence()
    await addTasks(storage, 10, 1)
    const before = await storage.readTree()
    for (const readTile of [
      async () => undefined,
      async () => new Uint8Array(32),
      async () => new Uint8Array(8_192),
    ]) {
      const sequencer = createSequencer({ storage: { ...storage, readTile }, tree })
      await assert.rejects(sequencer.sequence(), { code: "storage-corrupt" })
      assert.deepEqual(await storage.readTree(), before)
    }
  })

  it("makes the tree of the definitions", async () => {
    const storage = await open()
    await addTasks(storage, 0, 5)
    const head = await createSequencer({ storage, tree }).sequence()
    const leaves = (await readAll(storage)).map((event) => hashEventEntry(tree, event))
    assert.equal(head?.root, treeHash(leaves).toString("hex"))
  })
})

/** The next extension fails before it is stored, or is stored and its answer is lost. */
function createFaultyStorage(storage: MemoryStorage) {
  let fault = "none"
  const lost = () => new SafelightError({ code: "outcome-unknown", message: "no answer" })
  const faulty: TreeStorage = {
    ...storage,
    async extendTree(extension) {
      // Others come in between.
      await new Promise((resolve) => setImmediate(resolve))
      const [failing] = [fault]
      fault = "none"
      if (failing === "before") throw lost()
      const isExtended = await storage.extendTree(extension)
      if (failing === "after") throw lost()
      return isExtended
    },
  }
  return { storage: faulty, fail: (next: string) => void (fault = next) }
}
