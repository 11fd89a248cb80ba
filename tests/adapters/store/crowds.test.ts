/** How many commits a crowd of changes is divided into, over lanes that are idle. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createWriter, type Lane } from "@safelight/store"

async function listBatches(changes: number): Promise<readonly number[]> {
  const batches: number[] = []
  const lane: Lane<number, true> = {
    async commit(batch) {
      batches.push(batch.length)
      return batch.map(() => true)
    },
  }
  const writer = createWriter<number, true>({
    lanes: [lane, { ...lane }],
  })
  const all = Array.from({ length: changes }, (_, work) =>
    writer.write({ work, bytes: 1, isAsked: false }),
  )
  await Promise.all(all)
  return batches
}

describe("a crowd of changes", () => {
  it("is divided over the idle lanes where each part is large enough", async () => {
    assert.deepEqual(await listBatches(15), [15])
    assert.deepEqual(await listBatches(16), [8, 8])
  })
})
