/** The storage that a contract runs on, and assertions that its behaviours share. */
import assert from "node:assert/strict"
import {
  isSafelightError,
  type Input,
  type SafelightErrorCode,
  type Storage,
} from "@safelight/core"
import type { SampleAppend } from "./sample-task.ts"

export interface StorageFixture {
  /** Empty at first. */
  readonly storage: Storage
  /** Closes the storage and opens it again on the same data. */
  reopen(): Promise<Storage>
  /** Closes what is open and removes the data. */
  cleanUp(): Promise<void>
}

/** A place in the queue, and the way out of it: what counts as unfinished stands in the queue. */
export const ENQUEUE = {
  kind: "enqueue",
  dueAt: 1_000,
  endBy: 100_000,
  lease: null,
  startTag: null,
} as const
export const FINISH = { kind: "finish", retainAt: 7_000 } as const

/** The model of samples, and two more. */
export const MODELS = ["model-a", "model-b", "model-c"] as const

export function assertRejects(promise: Promise<unknown>, code: SafelightErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(isSafelightError(error), String(error))
    assert.equal(error.code, code, error.message)
    return true
  })
}

/** Asserts that a task stands where `sample` left it, by its head and newest events. */
export async function assertStored(
  storage: Storage,
  { append, head }: SampleAppend,
): Promise<void> {
  assert.deepEqual(await storage.readTask(append.task), head)
  const events = await storage.readEvents(append.task)
  assert.equal(events.length, head.task.version)
  assert.deepEqual(events.slice(append.expectedVersion), append.events)
}

export function toInput(task: string, name: string, body = `{"prompt":"${name}"}`): Input {
  return { task, name, salt: "5a".repeat(16), body }
}

/** Task ids that no order of arrival or of letters gives by accident. */
export function toIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `task-${(index * 7919) % 10_007}`)
}

export function idsOf(heads: readonly { readonly task: { readonly id: string } }[]): string[] {
  return heads.map(({ task }) => task.id)
}
