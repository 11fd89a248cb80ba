/** The contract of `Storage`: holds, which move the expiry of artifacts that are stored. */
import assert from "node:assert/strict"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "./sample-task.ts"
import type { StorageFixture } from "./storage-fixture.ts"

export const HOLD_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a hold moves when the artifacts of its task expire, and when retention looks, at once": async (
    fixture,
  ) => {
    const { storage } = fixture
    const finish = { kind: "finish", retainAt: 5_000 } as const
    const heads = await Promise.all(
      ["t", "u"].map(async (id) => {
        const { append, head } = submitSample({ id })
        await storage.append(append)
        const commands = [dispatchSample(), succeedSample(2)]
        const succeeded = advanceSample(head, commands, { queue: finish })
        await storage.append(succeeded.append)
        return succeeded.head
      }),
    )
    const [head] = heads
    assert.ok(head)
    const queue = { kind: "finish", retainAt: 9_000 } as const
    const held = advanceSample(head, [{ kind: "hold", until: 9_000 }], { now: 2_000, queue })
    await storage.append(held.append)
    await storage.append(held.append)
    for (const open of [async () => storage, () => fixture.reopen()]) {
      // oxlint-disable-next-line no-await-in-loop -- reopening closes the first
      const each = await open()
      const expiries = async (id: string) =>
        (await each.readTask(id))?.task.artifacts.map(({ expiresAt, key }) => [key, expiresAt])
      assert.deepEqual(await expiries("t"), [
        ["image_1", 9_000],
        ["image_2", 9_000],
      ])
      assert.deepEqual(await expiries("u"), [
        ["image_1", 5_000],
        ["image_2", 5_000],
      ])
      assert.deepEqual(await each.readTask("t"), held.head)
    }
  },

  "of a hold and an expiry at once the first is stored, whole": async ({ storage }) => {
    const { append, head } = submitSample({ id: "t" })
    await storage.append(append)
    const succeeded = advanceSample(head, [dispatchSample(), succeedSample()])
    await storage.append(succeeded.append)
    const held = advanceSample(succeeded.head, [{ kind: "hold", until: 9_000 }], { now: 4_999 })
    const expired = advanceSample(succeeded.head, [{ kind: "expire" }], { now: 5_000 })
    const results = await Promise.allSettled(
      [held, expired].map((each) => storage.append(each.append)),
    )
    const stored = results.map(({ status }) => status === "fulfilled")
    assert.equal(stored.filter(Boolean).length, 1)
    const [entry] = (await storage.readTask("t"))?.task.artifacts ?? []
    assert.equal(entry?.expiresAt, stored[0] === true ? 9_000 : 5_000)
  },
}
