/** The bound on what one page of a filtered list looks at, which the contract leaves to a storage. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { ListRequest, Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

/** As `lists.ts` of the store has it. */
const LISTED_TASKS = 1_000
/** Two pages that look at as many as they may, and one that looks at a single task. */
const TOTAL = 2 * LISTED_TASKS + 1
const OLD_MODEL = "model-old"

describe("a list with a filter", () => {
  it("looks at so many tasks a page, says where to go on, and finds all in the end", async () => {
    await using folder = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    await fill(storage)
    const filter = { account: "account", model: OLD_MODEL, limit: 5 }
    const pages = await readPages(storage, filter)
    // The oldest two: the last that the second page looks at, and the one behind it.
    assert.deepEqual(pages, [[], [toId(1)], [toId(0)]])
    assert.deepEqual(await readPages(storage, { ...filter, status: "failed" }), [[], [], []])
    assert.deepEqual(await readPages(storage, { ...filter, createdBefore: 1_002 }), [
      [toId(1), toId(0)],
    ])
    const createdAfter = 1_000 + TOTAL - LISTED_TASKS
    const newest = await storage.listTasks({ ...filter, createdAfter })
    assert.deepEqual(newest.tasks, [])
    await storage.close()
  })

  it("gives full pages without looking further than it must", async () => {
    await using folder = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    await fill(storage)
    const request = { account: "account", status: "queued", limit: 2 } as const
    const { tasks, next } = await storage.listTasks(request)
    assert.deepEqual(
      tasks.map(({ id }) => id),
      [toId(TOTAL - 1), toId(TOTAL - 2)],
    )
    assert.deepEqual(next, { createdAt: 1_000 + TOTAL - 2, id: toId(TOTAL - 2) })
    await storage.close()
  })
})

async function fill(storage: Storage): Promise<void> {
  const samples = Array.from({ length: TOTAL }, (_, index) =>
    submitSample({
      id: toId(index),
      now: 1_000 + index,
      submitted: { model: index < 2 ? OLD_MODEL : "model-a" },
    }),
  )
  await Promise.all(samples.map(({ append }) => storage.append(append)))
}

async function readPages(storage: Storage, request: ListRequest): Promise<string[][]> {
  const pages: string[][] = []
  let { after } = request
  for (;;) {
    const { tasks, next } = await storage.listTasks({ ...request, ...(after && { after }) })
    pages.push(tasks.map(({ id }) => id))
    if (next === null) return pages
    after = next
  }
}

function toId(index: number): string {
  return `task-${index}`
}
