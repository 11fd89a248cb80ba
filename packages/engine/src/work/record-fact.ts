/**
 * What happened to a task in this process's hands is written down until the engine ends. A purchase that
 * the task does not take any more (it ended meanwhile, or another call was made in its place) will be
 * delivered by nobody: its handle goes into the log, where a person finds what to ask a refund for, and
 * its channel is asked to stop, unless the task may come to it again. Files that were stored for it are removed.
 */
import {
  isTerminal,
  toCanonicalJson,
  type Json,
  type StreamHead,
  type Task,
  type TaskCommand,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Recorded, RecordOptions } from "../record/recorder.ts"
import { discardStored } from "../media/inspect-stored.ts"
import { discardKept } from "../media/kept-outputs.ts"
import { stopWork } from "./stop-work.ts"
import { advance, type StepResult, type Work } from "./work.ts"

/** Appends the commands in order, whichever process holds the task by now, and takes over what was recorded. */
export async function recordFact(
  context: Context,
  work: Work,
  commands: readonly TaskCommand[],
  options: Pick<RecordOptions, "inputs" | "maxTries"> = {},
): Promise<StepResult> {
  const { signal } = work.ending
  const own = commands.map((command) => toOwn(work, command))
  const recorded = await context.recorder.recordFact(work.head, own, { ...options, signal })
  if (recorded.kind !== "recorded") await reportRefused(context, work, commands, recorded)
  if (recorded.kind === "refused") await discardRefused(context, commands, recorded.head)
  if (recorded.kind !== "superseded" && isTerminal(recorded.head.task)) {
    await discardKept(context, work)
  }
  return advance(work, recorded)
}

/** What came of this work's call says nothing of a call that another process has made in its place. */
function toOwn({ head }: Work, command: TaskCommand): TaskCommand {
  if (command.kind !== "defer" && command.kind !== "fail") return command
  return { ...command, lease: head.task.dispatch?.lease }
}

/** Retention may have looked at the task for the last time: no orphan of it would be found. */
async function discardRefused(
  context: Context,
  commands: readonly TaskCommand[],
  { task }: StreamHead,
): Promise<void> {
  const kept = new Set(task.artifacts.map(({ locator }) => locator))
  const stored = commands.flatMap((each) => (each.kind === "succeed" ? each.artifacts : []))
  const surplus = stored.filter(({ locator }) => !kept.has(locator))
  await Promise.all(surplus.map(({ locator }) => discardStored(context, task.id, locator)))
}

const MISSING = { head: undefined, rejection: undefined }

type PaidCommand = Extract<TaskCommand, { kind: "accept" | "succeed" | "fail" | "defer" }>

/**
 * Reports what was bought and refused, also where the task is not there any more; does nothing where it has that very
 * purchase.
 */
async function reportRefused(
  context: Context,
  work: Work,
  commands: readonly TaskCommand[],
  refused: Exclude<Recorded, { readonly kind: "recorded" }>,
): Promise<void> {
  const paid = commands.find(isPaid)
  if (paid === undefined) return
  const { head, rejection } = refused.kind === "refused" ? refused : MISSING
  const purchase = toPurchase(work, paid)
  const { operation, upstreamKey } = purchase
  if (head !== undefined && isKnownPurchase(head, upstreamKey, operation)) return
  const state = head?.task.state ?? "missing"
  context.log.error(
    { task: work.id, ...purchase, state, rejection: rejection?.code },
    "purchase not delivered",
  )
  if (paid.kind !== "accept" || mayComeAgain(work, head?.task)) return
  await stop(context, work, operation)
}

function toPurchase({ head }: Work, paid: PaidCommand) {
  const { dispatch, operation } = head.task
  const channel = dispatch?.channel
  if (paid.kind !== "accept") {
    return { channel, upstreamKey: dispatch?.upstreamKey ?? "", operation, cost: paid.cost }
  }
  return { channel, upstreamKey: paid.upstreamKey, operation: paid.operation }
}

/**
 * Whether the key may be used for the task again: its storage has lost attempts, and counts them again.
 * A channel that knows keys answers with the very same purchase then.
 */
function mayComeAgain(work: Work, task: Task | undefined): boolean {
  return task !== undefined && !isTerminal(task) && task.attempt < work.head.task.attempt
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

/**
 * Whether a handle is one on what a task follows or has delivered; a failed one has delivered nothing. A
 * callback may name the same work in other words than the answer to the call did: where both have an id,
 * that decides.
 */
export function isKnownPurchase(
  { task }: StreamHead,
  upstreamKey: string,
  operation: Json,
): boolean {
  if (task.state === "failed" || task.dispatch?.upstreamKey !== upstreamKey) return false
  const [known, asked] = [toId(task.operation), toId(operation)]
  if (known !== undefined && asked !== undefined) return known === asked
  return toCanonicalJson(task.operation) === toCanonicalJson(operation)
}

function toId(operation: Json): string | undefined {
  if (typeof operation !== "object" || operation === null || Array.isArray(operation)) return
  const id = (operation as Readonly<Record<string, Json>>)["id"]
  return typeof id === "string" ? id : undefined
}
