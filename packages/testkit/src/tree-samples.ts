/** Sample tasks whose events get leaves. Hashes of tiles and roots are made up: a storage computes none. */
import assert from "node:assert/strict"
import type {
  Storage,
  TreeExtension,
  TreeHead,
  TreeStorage,
  UnsequencedEvent,
  UnsequencedEvents,
} from "@safelight/core"
import { advanceSample, dispatchSample, submitSample, type SampleAppend } from "./sample-task.ts"
import { toIds } from "./storage-fixture.ts"

export const EMPTY: TreeHead = {
  size: 0,
  root: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
}

export function toSamples(id: string, now = 1_000): readonly [SampleAppend, SampleAppend] {
  const first = submitSample({ id, now })
  const accept = { kind: "accept", operation: { id: "operation" }, upstreamKey: "key-1" } as const
  return [first, advanceSample(first.head, [dispatchSample(), accept], { now: now + 5 })]
}

export async function addSamples(
  storage: Storage,
  samples: readonly SampleAppend[],
): Promise<void> {
  for (const { append } of samples) await storage.append(append)
}

/** Three events a task, in two appends; tasks are added together. */
export async function addTasks(
  storage: Storage,
  count: number,
): Promise<readonly (readonly SampleAppend[])[]> {
  const all = toIds(count).map((id) => toSamples(id))
  await Promise.all(all.map((samples) => addSamples(storage, samples)))
  return all
}

/** Made up, another for each `choice`. */
export function toExtension(
  from: TreeHead,
  unsequenced: UnsequencedEvents,
  choice = 0,
): TreeExtension {
  const { length } = unsequenced.events
  const size = from.size + length
  const root = `${size}`.padStart(62, "0") + `${choice}`.padStart(2, "0")
  const tiles = [{ level: 0, index: 0, hashes: toBytes(1 + ((length + choice) % 200)) }]
  return { from, to: { size, root }, unsequenced, tiles }
}

export async function extend(
  storage: TreeStorage,
  from: TreeHead,
  unsequenced: UnsequencedEvents,
): Promise<TreeHead> {
  const extension = toExtension(from, unsequenced)
  assert.equal(await storage.extendTree(extension), true)
  return extension.to
}

export function toBytes(hashes: number): Uint8Array {
  return Uint8Array.from({ length: hashes * 32 }, (_, place) => (place * 31 + hashes) % 256)
}

export function toName({ at, hash, task, version }: UnsequencedEvent): readonly unknown[] {
  return [task, version, at, hash]
}

/** Each event of the samples once, and no other. */
export function assertSame(
  listed: readonly UnsequencedEvent[],
  samples: readonly (readonly SampleAppend[])[],
): void {
  const expected = samples.flat().flatMap(({ append }) => append.events)
  assert.deepEqual(toSortedNames(listed), toSortedNames(expected))
}

function toSortedNames(events: readonly UnsequencedEvent[]): readonly string[] {
  return events.map((event) => JSON.stringify(toName(event))).toSorted()
}

export function assertInOrder(listed: readonly UnsequencedEvent[]): void {
  const versions = new Map<string, number>()
  for (const { task, version } of listed) {
    assert.equal(version, (versions.get(task) ?? 0) + 1, task)
    versions.set(task, version)
  }
}
