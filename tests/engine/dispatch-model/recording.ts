/**
 * Writing down what happened, as the engine's recorder does it. An **intent** that finds the task
 * changed gives up; a **fact** is decided again on the fresh state until it is recorded or refused.
 * What a reader would get wrong: an append whose answer is lost is sent again as the very same
 * append, since it may have been stored, or may yet be.
 *
 *   decide ─refused→ leave
 *     │ append ─no answer→ the same again (an intent once, then it is let go)
 *     ├─stored→ next stage, or done where the append gave the claim back
 *     └─conflict→ intent: leave     fact: decide on the fresh head
 */
import { decide, isTerminal, type Task, type TaskCommand } from "@safelight/core"
import { release } from "./log-storage.ts"
import { PATIENCE_MS } from "./timing.ts"
import {
  has,
  monotonicNow,
  nextId,
  tell,
  wallNow,
  type Append,
  type Driver,
  type MessageBody,
  type Node,
  type QueueChange,
  type Stage,
  type World,
} from "./world.ts"

const DECIDING: Stage = { kind: "deciding" }
const GONE: Stage = { kind: "gone" }

/** Begins to record an intent; `next` follows once it is durable. */
export function recordIntent(
  world: World,
  node: Node,
  driver: Driver,
  command: TaskCommand,
  next: Stage,
): void {
  record(world, node, driver, { command, next, isFact: false })
}

export function recordFact(world: World, node: Node, driver: Driver, command: TaskCommand): void {
  record(world, node, driver, { command, next: DECIDING, isFact: true })
}

interface Recording {
  readonly command: TaskCommand
  readonly next: Stage
  readonly isFact: boolean
}

function record(world: World, node: Node, driver: Driver, recording: Recording): void {
  const command = toCurrent(world, driver.head, recording.command)
  const decision = decide(driver.head, command, wallNow(world, node))
  if (decision.kind === "rejected") return leave(world, node, driver)
  const append: Append = {
    id: nextId(world),
    expectedVersion: driver.head.version,
    event: decision.event,
    command,
    queue: toQueueChange(world, node, driver.head, decision.task),
  }
  const sentAt = monotonicNow(world, node)
  const { isFact, next } = recording
  driver.stage = { kind: "recording", append, isFact, sentAt, tries: 1, next }
  send(world, node, driver.id, append)
}

/** The weakenings that take a report for one of the current attempt, or an answer for its call's. */
function toCurrent(world: World, { attempt, dispatch }: Task, command: TaskCommand): TaskCommand {
  if (command.kind === "accept" && !has(world, "keys-told-apart")) {
    return { ...command, upstreamKey: dispatch?.upstreamKey ?? "" }
  }
  const isTold = has(world, "attempts-told-apart") || !("attempt" in command)
  return isTold ? command : { ...command, attempt }
}

/** The engine's `toQueueChange`, without back-off: a model needs no pauses. */
function toQueueChange(
  world: World,
  node: Node,
  before: Task,
  task: Task,
): QueueChange | undefined {
  const now = wallNow(world, node)
  if (isTerminal(task)) return { kind: "finish" }
  if (task.state === "queued") return { kind: "reschedule", dueAt: now }
  if (before.state === "doubtful" && task.state === "running") {
    return { kind: "reschedule", dueAt: now }
  }
  if (task.state !== "doubtful") return undefined
  const isResting = world.setup.channel === "unkeyed" && has(world, "unkeyed-rests")
  return { kind: "reschedule", dueAt: isResting ? task.endBy : now }
}

function send(world: World, node: Node, driver: number, append: Append): void {
  const body: MessageBody = { kind: "append", driver, append, by: node.process }
  world.messages.push({ body, lostAt: Infinity, process: null })
  tell(world, () => `${node.process} appends ${append.event.type} (${append.expectedVersion + 1})`)
}

/** Whether the storage has kept its answer back for long enough to be asked again. */
export function isOverdueAppend(world: World, node: Node, { stage }: Driver): boolean {
  return stage.kind === "recording" && monotonicNow(world, node) >= stage.sentAt + PATIENCE_MS
}

/** The very same append again; an intent is tried twice, then the task goes back to the queue. */
export function appendAgain(world: World, node: Node, driver: Driver): void {
  const { stage } = driver
  if (stage.kind !== "recording") return
  const isDropped = driver.isCalledOff && !has(world, "facts-outlive-claim")
  const mayRetry = stage.isFact ? !isDropped : stage.tries < 2
  if (!mayRetry) return letGo(world, driver, wallNow(world, node))
  driver.stage = { ...stage, sentAt: monotonicNow(world, node), tries: stage.tries + 1 }
  send(world, node, driver.id, stage.append)
}

/** The storage has answered an append. */
export function receiveAppended(
  world: World,
  node: Node,
  driver: Driver,
  { id, conflict }: Extract<MessageBody, { kind: "appended" }>,
): void {
  const { stage } = driver
  // An answer to an earlier append of this driver tells nothing new.
  if (stage.kind !== "recording" || stage.append.id !== id) return
  if (conflict === null) return receiveStored(driver, stage)
  const mayRepeat = stage.isFact ? has(world, "facts-persist") : !has(world, "intents-give-up")
  if (!mayRepeat) return leave(world, node, driver)
  driver.head = conflict
  record(world, node, driver, { ...stage, command: stage.append.command })
}

function receiveStored(driver: Driver, stage: Extract<Stage, { kind: "recording" }>): void {
  const decision = decide(driver.head, stage.append.command, stage.append.event.at)
  if (decision.kind === "decided") driver.head = decision.task
  const isKept = stage.append.queue === undefined && driver.claim !== null
  driver.stage = isKept ? stage.next : GONE
}

/** Ends a driver that got no further; the task is anybody's at once. */
export function leave(world: World, node: Node, driver: Driver): void {
  if (has(world, "done-gives-back") && !driver.isCalledOff) {
    letGo(world, driver, wallNow(world, node))
  }
  driver.stage = GONE
}

/** Ends a driver; the task is anybody's from `dueAt` on, if it still is this process's. */
export function letGo(world: World, driver: Driver, dueAt: number): void {
  driver.stage = GONE
  if (driver.claim !== null) release(world, driver.claim, dueAt)
}
