/**
 * A tree over the log of a real database, while several processes append and sequence: nothing is passed over, and
 * nothing has two leaves, whichever commits come in which order.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate } from "node:timers/promises"
import type { Storage } from "@safelight/core"
import { createSequencer, createTreeHash } from "@safelight/proof"
import { sha256 } from "@safelight/proof/node"
import { addTask, assertWhole } from "../../support/sample-log.ts"

export interface TreePlaces extends AsyncDisposable {
  /** Of one database, each as another process has it. */
  readonly storages: readonly Storage[]
  /** Adds a task as a release does that knows of no tree. */
  addByHand(task: string): Promise<void>
}

const TASKS = 400

export function describeTree(database: string, open: () => Promise<TreePlaces>): void {
  const tree = createTreeHash(sha256)

  describe(`a tree on ${database}`, () => {
    it("has every event once, opened and sequenced by several processes while several append", async () => {
      await using places = await open()
      const { storages } = places
      const [first, second] = storages
      assert.ok(first !== undefined && second !== undefined)
      for (let index = 0; index < 30; index += 1) await addTask(first, `before-${index}`)
      let isOver = false
      async function append(storage: Storage, name: string): Promise<void> {
        for (let done = 0; done < TASKS; done += 20) {
          const ids = Array.from({ length: 20 }, (_, index) => `${name}-${done + index}`)
          await Promise.all(ids.map((id) => addTask(storage, id)))
        }
      }
      async function sequence(storage: Storage): Promise<void> {
        await storage.openTree()
        const sequencer = createSequencer({ storage, tree, batchEvents: 50 })
        const isLast = (): boolean => isOver
        for (;;) {
          const wasLast = isLast()
          await sequencer.sequence()
          if (wasLast) return
          // With nothing to do SQLite answers at once, and the others would never be heard.
          await setImmediate()
        }
      }
      const appending = storages.map((storage, index) => append(storage, `task-${index}`))
      const sequencing = [sequence(first), sequence(second)]
      await Promise.all(appending)
      isOver = true
      await Promise.all(sequencing)
      const head = await first.readTree()
      assert.equal(head?.size, 3 * (30 + storages.length * TASKS))
      await assertWhole(first)
    })

    it("has the events of a release that knows of no tree", async () => {
      await using places = await open()
      const [storage] = places.storages
      assert.ok(storage !== undefined)
      const sequencer = createSequencer({ storage, tree })
      await places.addByHand("early")
      await storage.openTree()
      assert.equal((await sequencer.sequence())?.size, 1)
      await places.addByHand("late")
      assert.equal((await sequencer.sequence())?.size, 2)
      assert.deepEqual(await storage.listLeaves({ from: 0, limit: 9 }), [
        { task: "early", version: 1 },
        { task: "late", version: 1 },
      ])
    })
  })
}
