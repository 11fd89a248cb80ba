/** The bodies whose text is put together by hand, against the schemas that the document is made from. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { FAILURE_CODES, toTaskFailure, type Task, type TaskState } from "@safelight/core"
import * as fc from "fast-check"
import {
  toCancellationText,
  toOperatorTaskListText,
  toOperatorTaskText,
  toTaskListText,
  toTaskText,
} from "../../../adapters/http/src/bodies/task.ts"
import { taskId, toTask } from "./fake-service.ts"
import { checker } from "./worlds.ts"

const STATES: readonly TaskState[] = [
  "queued",
  "dispatching",
  "running",
  "doubtful",
  "succeeded.available",
  "succeeded.expired",
  "failed",
]

const moment = fc.integer({ min: 0, max: 253_402_300_799_999 })
const error = fc.record({
  type: fc.constantFrom(...FAILURE_CODES.map((code) => toTaskFailure(code).type)),
  message: fc.string({ unit: "binary" }),
  code: fc.constantFrom(...FAILURE_CODES),
})
const task: fc.Arbitrary<Task> = fc
  .record({
    account: fc.string({ unit: "binary", minLength: 1 }),
    model: fc.string({ unit: "binary", minLength: 1 }),
    state: fc.constantFrom(...STATES),
    progress: fc.integer({ min: 0, max: 100 }),
    createdAt: moment,
    finishedAt: moment,
    chargeMicros: fc.nat(),
    reservationMicros: fc.nat(),
    error: fc.option(error),
    number: fc.nat({ max: 1_000 }),
  })
  .map(({ number, ...changes }) => toTask(taskId(number), changes))
const next = fc.option(fc.record({ createdAt: moment, id: fc.uuid() }))
const prefix = fc.constantFrom("", "/media", "/a/b")

describe("a body that is put together by hand", () => {
  it("is as the document describes a task", () => {
    fc.assert(
      fc.property(task, prefix, (shown, path) => {
        check("Task", toTaskText(shown, path))
        check("OperatorTask", toOperatorTaskText(shown, path))
      }),
    )
  })

  it("is as the document describes a page of tasks", () => {
    fc.assert(
      fc.property(fc.array(task), next, prefix, (tasks, position, path) => {
        check("TaskList", toTaskListText({ tasks, next: position }, path))
        check("OperatorTaskList", toOperatorTaskListText({ tasks, next: position }, path))
      }),
    )
  })

  it("is as the document describes what came of a cancellation", () => {
    const outcome = fc.constantFrom("cancelled", "stopped", "too-late", "unknown")
    fc.assert(
      fc.property(task, outcome, prefix, (shown, word, path) => {
        check("Cancellation", toCancellationText({ outcome: word, task: shown }, path))
      }),
    )
  })
})

/** By its schema; and it is the text that `JSON.stringify` makes of it. */
function check(name: string, text: string): void {
  const value: unknown = JSON.parse(text)
  checker.checkValue(["components", "schemas", name], value, name)
  assert.equal(JSON.stringify(value), text)
}
