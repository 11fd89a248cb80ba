/**
 * An append as the steps of a guarded change: the version check first, then everything that goes
 * with it.
 */
import type { Append, QueueChange } from "@safelight/core"
import {
  assertConsistent,
  toArtifactRecord,
  toChargeRecord,
  toEventRecord,
  toInputRecord,
  toOutcomeRecord,
  toTaskRecord,
  toTotalsRecord,
  type StoreStatements,
} from "@safelight/store"
import type { Step } from "./encode-change.ts"

export function toAppendSteps({ append: statements }: StoreStatements, append: Append): Step[] {
  assertConsistent(append)
  const { changes, expectedHash, events, inputs = [], queue } = append
  const record = toTaskRecord(changes.task)
  const steps: Step[] = [
    expectedHash === undefined
      ? { statement: statements.insertTask, values: record }
      : { statement: statements.updateTask, values: { ...record, expected_hash: expectedHash } },
  ]
  for (const event of events) {
    steps.push({ statement: statements.insertEvent, values: toEventRecord(event) })
  }
  for (const artifact of changes.artifacts) {
    steps.push({ statement: statements.insertArtifact, values: toArtifactRecord(artifact) })
  }
  const { charge, totals } = changes
  if (charge !== undefined) {
    steps.push({ statement: statements.insertCharge, values: toChargeRecord(charge) })
  }
  for (const outcome of changes.outcomes) {
    steps.push({ statement: statements.insertOutcome, values: toOutcomeRecord(outcome) })
  }
  if (totals !== undefined) {
    const added = toTotalsRecord(changes.task.account, totals)
    steps.push({ statement: statements.addTotals, values: added })
  }
  for (const input of inputs) {
    steps.push({ statement: statements.insertInput, values: toInputRecord(input) })
  }
  if (queue !== undefined) steps.push(...toQueueSteps(statements, append, queue))
  return steps
}

function toQueueSteps(
  statements: StoreStatements["append"],
  { task, changes }: Append,
  queue: QueueChange,
): Step[] {
  if (queue.kind === "finish") {
    const retention: Step =
      queue.retainAt === null
        ? { statement: statements.dropRetention, values: { task } }
        : { statement: statements.retain, values: { task, due_at: queue.retainAt } }
    return [{ statement: statements.dequeue, values: { task } }, retention]
  }
  const values = {
    task,
    due_at: queue.dueAt,
    lease: queue.lease,
  }
  if (queue.kind === "reschedule") return [{ statement: statements.reschedule, values }]
  const { account, model } = changes.task
  const place = { ...values, account, model, end_by: queue.endBy, start_tag: queue.startTag }
  return [{ statement: statements.enqueue, values: place }]
}
