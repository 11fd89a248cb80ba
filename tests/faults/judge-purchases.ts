/**
 * The oracle's view of what was bought: once, kept, and known. What a reader would get wrong: a task
 * may end well for everybody but whoever paid, so a purchase is held against its task's end, and
 * its name against everything that was written down, whatever became of the task.
 */
import { isTerminal, type ScannedStream, type StoredEvent, type Task } from "@safelight/core"
import { isKept, type Creation } from "./creations.ts"
import { isGivenUp, judgeCancellations, type ToldCancellation } from "./judge-cancellations.ts"
import {
  explainLoss,
  hasReached,
  isForgotten,
  isTimedOut,
  type RoundFaults,
} from "./round-faults.ts"
import { toOperationName } from "./upstream-channel.ts"

export interface Purchases {
  readonly bought: ReadonlyMap<string, readonly Creation[]>
  readonly faults: RoundFaults
  readonly fail: (words: string) => void
  /** What callers were told, by task. */
  readonly cancellations: ReadonlyMap<string, readonly ToldCancellation[]>
  /** Tasks in doubt that the operator settled, or tried to: as failed, whatever came of the call. */
  readonly resolved: ReadonlySet<string>
  /** Whether what was written for the task was erased before it ended, as far as is known. */
  readonly mayLackInputs: (task: Task) => boolean
}

/** At most one creation a task, but for those that were told to have produced nothing. */
export function judgePurchases(open: Purchases, task: Task): void {
  const { bought, fail, faults } = open
  const { id, state, operation } = task
  const kept = (bought.get(id) ?? []).filter(isKept)
  // What was asked for in a time that is forgotten may be asked for once more.
  const remembered = kept.filter(({ createdAt }) => !isForgotten(faults, createdAt))
  if (remembered.length > 1) {
    fail(`task ${id} was bought ${kept.length} times: ${kept.map(({ key }) => key).join(", ")}`)
  }
  judgeCancellations(open, task, bought.get(id) ?? [], open.cancellations.get(id) ?? [])
  if (state.startsWith("succeeded")) {
    const used = kept.find((each) => each.operation === toOperationName(operation))
    if (used?.ending !== "completes" || used.isStopped) {
      fail(`task ${id} succeeded without a completed purchase`)
    }
    return
  }
  if (state === "failed") for (const creation of kept) judgeLoss(open, task, creation)
}

/** Bought and completed, a task succeeds, unless a fault of the round explains why it did not. */
function judgeLoss(open: Purchases, task: Task, creation: Creation): void {
  const { fail, faults, mayLackInputs, resolved } = open
  // What is erased can't be sent again; what a lookup channel was made to create is known by its key.
  const isUnsendable = mayLackInputs(task) && task.operation === null && creation.kind !== "lookup"
  if (resolved.has(task.id) || isUnsendable) return
  if (creation.ending !== "completes" || isGivenUp(task, creation)) return
  if (explainLoss(creation, task, faults) !== undefined) return
  fail(
    `task ${task.id} failed (${task.error?.code}), though ${creation.operation} was bought for it`,
  )
}

/** A task that fails because its time is up fails no sooner than that, and none is born so late. */
export function judgeTime(
  { fail, faults, resolved }: Purchases,
  task: Task,
  { events }: ScannedStream,
): void {
  if (resolved.has(task.id)) return
  const failedAt = events.findLast(({ type }) => type === "failed")?.at ?? Infinity
  if (faults.isTimeAhead || !isTimedOut(task) || failedAt >= task.endBy) return
  fail(`task ${task.id} failed (${task.error?.code}) ${task.endBy - failedAt} ms before its end`)
}

export interface Writings {
  /** Of every task that is there, by its id. */
  readonly histories: ReadonlyMap<string, readonly StoredEvent[]>
  readonly logLines: readonly string[]
}

/**
 * Every purchase can be found by a person: the key it was asked for under is in an event or a line
 * of a log, and so is its operation, once that was told to a node that could write it down.
 */
export function judgeHandles(
  { bought, faults, fail }: Purchases,
  { histories, logLines }: Writings,
): void {
  const log = logLines.join("\n")
  for (const creation of [...bought.values()].flat()) {
    const { createdAt, key, operation, task } = creation
    // An event's data is JSON within JSON.
    const written = JSON.stringify(histories.get(task) ?? []).replaceAll("\\", "")
    const isKnown = (handle: string): boolean =>
      written.includes(`"${handle}"`) || log.includes(`"${handle}"`)
    if (!isForgotten(faults, createdAt) && !isKnown(key)) {
      fail(`${operation} was bought for ${task}, and its key is nowhere`)
    }
    // A node that lived through a set-back polls what it knows, and writes that down once something changes.
    const told = creation.told.filter(({ wasKnown }) => wasKnown !== true)
    if (hasReached({ ...creation, told }, faults) && !isKnown(operation)) {
      fail(`${operation} was bought for ${task} and told, and its name is nowhere`)
    }
  }
}

/** Tasks that ended for want of time when, by the time of day, they had some left. */
export function listEndedEarly(tasks: readonly Task[], endsAt: (task: Task) => number): string[] {
  const now = Date.now()
  return tasks
    .filter((task) => isTerminal(task) && isTimedOut(task) && now < endsAt(task))
    .map(({ id, error }) => `task ${id} failed (${error?.code}) before its time`)
}
