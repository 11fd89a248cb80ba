/**
 * A purchase that a task does not take any more: it ended meanwhile, or another call was made in
 * its place. Nobody will deliver it, so its handle goes into the log, where a person finds what to
 * ask a refund for, and its channel is asked to stop, unless the task may come to it again.
 */
import {
  isTerminal,
  type Json,
  type Rejection,
  type StreamHead,
  type TaskCommand,
} from "@safelight/core"
import type { Context } from "./context.ts"
import { isKnownPurchase } from "./known-purchase.ts"
import { stopWork } from "./stop-work.ts"
import type { Work } from "./work.ts"

type PaidCommand = Extract<TaskCommand, { kind: "accept" | "succeed" | "fail" | "defer" }>

/** Reports what was bought and refused; does nothing where the task has that very purchase. */
export async function reportRefused(
  context: Context,
  work: Work,
  commands: readonly TaskCommand[],
  { head, rejection }: { readonly head: StreamHead; readonly rejection: Rejection },
): Promise<void> {
  const paid = commands.find(isPaid)
  if (paid === undefined) return
  const { dispatch, operation: followed } = work.head.task
  const operation = paid.kind === "accept" ? paid.operation : followed
  const upstreamKey = paid.kind === "accept" ? paid.upstreamKey : (dispatch?.upstreamKey ?? "")
  if (isKnownPurchase(head, upstreamKey, operation)) return
  const channel = dispatch?.channel
  const { state } = head.task
  const cost = paid.kind === "accept" ? undefined : paid.cost
  context.log.error(
    { task: work.id, channel, upstreamKey, operation, state, rejection: rejection.code, cost },
    "purchase not delivered",
  )
  if (paid.kind === "accept" && !mayComeAgain(work, head)) await stop(context, work, operation)
}

/**
 * Whether the key may be used for the task again: its storage has lost attempts, and counts them anew.
 * A channel that knows keys answers with the very same purchase then.
 */
function mayComeAgain(work: Work, { task }: StreamHead): boolean {
  return !isTerminal(task) && task.attempt < work.head.task.attempt
}

/** What came to nothing was paid for where the provider says so, or may have billed it. */
function isPaid(command: TaskCommand): command is PaidCommand {
  if (command.kind === "accept" || command.kind === "succeed") return true
  if (command.kind !== "fail" && command.kind !== "defer") return false
  return command.cost !== undefined && command.cost !== "none"
}

async function stop(context: Context, work: Work, operation: Json): Promise<void> {
  const { dispatch } = work.head.task
  const channel = context.channels.find(({ name }) => name === dispatch?.channel)
  if (channel !== undefined) await stopWork(context, work, channel, operation)
}
