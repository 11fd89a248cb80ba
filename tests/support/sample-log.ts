/** Logs of sample tasks, and what must hold of the tree over one. */
import assert from "node:assert/strict"
import type { Storage, TreeStorage } from "@safelight/core"
import { createTreeHash, hashEventEntry, type EventName } from "@safelight/proof"
import { sha256 } from "@safelight/proof/node"
import { advanceSample, dispatchSample, submitSample } from "@safelight/testkit"
import { treeHash } from "./reference-tree.ts"

const tree = createTreeHash(sha256)

type Log = TreeStorage & Pick<Storage, "append" | "readEvents" | "scan">

/** Three events in two appends. */
export async function addTask(storage: Pick<Storage, "append">, id: string): Promise<void> {
  const first = submitSample({ id })
  await storage.append(first.append)
  const accept = { kind: "accept", operation: { id: "operation" }, upstreamKey: "key-1" } as const
  await storage.append(advanceSample(first.head, [dispatchSample(), accept]).append)
}

/** The events that have leaves, in the order of these. */
export async function readAll(storage: Log): Promise<readonly EventName[]> {
  const { size = 0 } = (await storage.readTree()) ?? {}
  const leaves = await storage.listLeaves({ from: 0, limit: size + 1 })
  assert.equal(leaves.length, size)
  return Promise.all(
    leaves.map(async ({ task, version }) => {
      const [event] = await storage.readEvents(task, { after: version - 1, limit: 1 })
      assert.ok(event !== undefined, `${task} has no event ${version}`)
      return event
    }),
  )
}

/** No event has two leaves, a task's stand in order, the root is theirs, and every event has one or a note. */
export async function assertWhole(storage: Log, { isPartial = false } = {}): Promise<void> {
  const events = await readAll(storage)
  const head = await storage.readTree()
  const leaves = events.map((event) => hashEventEntry(tree, event))
  assert.equal(head?.root, treeHash(leaves).toString("hex"))
  const left = await storage.listUnsequenced(1_000_000)
  if (!isPartial) assert.deepEqual(left, { events: [], notes: [] })
  const versions = new Map<string, number>()
  for (const { task, version } of [...events, ...left.events]) {
    assert.equal(version, (versions.get(task) ?? 0) + 1, `${task} ${version}`)
    versions.set(task, version)
  }
  const { streams } = await storage.scan({ after: "", limit: 1_000_000 })
  const expected = new Map(streams.map(({ events: all, id }) => [id, all.length]))
  assert.deepEqual(versions, expected)
}
