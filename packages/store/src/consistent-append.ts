/** An append that contradicts itself is a bug of ours: an assertion fails before it is written. */
import assert from "node:assert/strict"
import type { Append } from "@safelight/core"

export function assertConsistent(append: Append): void {
  const { task, expectedHash, expectedVersion, events, changes, inputs = [] } = append
  const isNew = expectedVersion === 0
  assert.equal(expectedHash === undefined, isNew, "an append names the event that it follows")
  assert.ok(events.length > 0, "an append has an event")
  for (const [index, event] of events.entries()) {
    assert.equal(event.task, task, "every event is of the appended task")
    assert.equal(event.version, expectedVersion + index + 1, "versions have no gap")
  }
  assert.equal(changes.task.id, task, "the row is the appended task's")
  assert.equal(changes.task.version, expectedVersion + events.length, "the row is at the newest")
  assert.ok(isNew || append.labels === undefined, "a task is labelled when it is new")
  assert.ok(
    inputs.every((input) => input.task === task) &&
      changes.outcomes.every((outcome) => outcome.task === task) &&
      (changes.charge?.task ?? task) === task,
    "inputs, outcomes and charge are the appended task's",
  )
}
