/**
 * Writing down what happened, as the engine's recorder does it. An **intent** that finds the task
 * changed gives up; a **fact** is decided again on the fresh state until it is recorded or refused.
 * What a reader would get wrong: an append whose answer is lost is sent again as the very same
 * append, since it may have been stored, or may yet be.
 *
 *   decide ─refused→ leave
 *     │ append ─no answer→ the same again (an intent once, then it is let go)
 *     ├─stored→ next stage, or done where the append gave the task back
 *     └─conflict→ intent: leave     fact: decide on the fresh head, what it has lost first
 */
import { isTerminal, type Task, type TaskCommand } from "@safelight/core"
import { toLost, nameLost, nameRefused } from "./lost-commits.ts"
import { decideAll, release } from "./log-storage.ts"
import { PATIENCE_MS, toBackoffMs } from "./timing.ts"
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
  record(world, node, driver, { commands: [command], next, isFact: false, known: driver.head })
}

export function recordFact(world: World, node: Node, driver: Driver, command: TaskCommand): void {
  const isOwn = has(world, "dispatches-told-apart") && "attempt" in command
  const lease = isOwn ? driver.head.dispatch?.lease : undefined
  const own = isOwn && lease !== undefined ? { ...command, lease } : command
  const recording = { commands: [own], next: DECIDING, isFact: true, known: driver.head }
  record(world, node, driver, recording)
}

type Recording = Pick<
  Extract<Stage, { kind: "recording" }>,
  "commands" | "isFact" | "known" | "next"
>

function record(world: World, node: Node, driver: Driver, recording: Recording): void {
  const { commands: wanted, isFact, known, next } = recording
  if (isFact) nameLost(world, known, driver.head)
  const lost = isFact ? toLost(world, known, driver.head) : []
  const commands = [...lost, ...wanted].map((each) => toCurrent(world, driver.head, each))
  const at = wallNow(world, node)
  const { events, task } = decideAll(driver.head, commands, at)
  if (events.length === 0) {
    nameRefused(world, known, driver.head, wanted)
    return leave(world, node, driver)
  }
  const append: Append = {
    id: nextId(world),
    expectedVersion: driver.head.version,
    expectedHash: JSON.stringify(driver.head),
    commands,
    at,
    words: events.map(({ type }) => type).join(" and "),
    queue: toQueueChange(world, node, driver.head, task),
  }
  const sentAt = monotonicNow(world, node)
  driver.stage = { ...recording, kind: "recording", append, sentAt, tries: 1, next }
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

/** The engine's `toQueueChange`. */
function toQueueChange(
  world: World,
  node: Node,
  before: Task,
  task: Task,
): QueueChange | undefined {
  const now = wallNow(world, node)
  if (isTerminal(task)) return { kind: "finish" }
  if (task.state === "queued") {
    return { kind: "reschedule", dueAt: task.deferral?.retryAt ?? now }
  }
  if (before.state === "doubtful" && task.state === "running") {
    return { kind: "reschedule", dueAt: now }
  }
  if (task.state !== "doubtful") return undefined
  const isResting = world.setup.channel === "unkeyed" && has(world, "unkeyed-rests")
  return {
    kind: "reschedule",
    dueAt: isResting ? task.endBy : now + toBackoffMs(world, task.attempt),
  }
}

function send(world: World, node: Node, driver: number, append: Append): void {
  const body: MessageBody = { kind: "append", driver, append, by: node.process }
  world.messages.push({ body, lostAt: Infinity, process: null })
  tell(world, () => `${node.process} appends ${append.words} (${append.expectedVersion + 1})`)
}

/** Whether the storage has kept its answer back for long enough to be asked again. */
export function isOverdueAppend(world: World, node: Node, { stage }: Driver): boolean {
  return stage.kind === "recording" && monotonicNow(world, node) >= stage.sentAt + PATIENCE_MS
}

/** The very same append again; an intent is tried twice, then the task goes back to the queue. */
export function appendAgain(world: World, node: Node, driver: Driver): void {
  const { stage } = driver
  if (stage.kind !== "recording") return
  const isDropped = driver.isCalledOff && !has(world, "facts-outlive-lease")
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
  if (conflict === null) return receiveStored(world, node, driver, stage)
  const mayRepeat = stage.isFact ? has(world, "facts-persist") : !has(world, "intents-give-up")
  if (!mayRepeat) return leave(world, node, driver)
  driver.head = conflict
  record(world, node, driver, stage)
}

function receiveStored(
  world: World,
  node: Node,
  driver: Driver,
  stage: Extract<Stage, { kind: "recording" }>,
): void {
  const { append, next } = stage
  driver.head = decideAll(driver.head, append.commands, append.at).task
  const isKept = append.queue === undefined && driver.lease !== null
  if (isKept && next.kind === "gone") return letGo(world, driver, wallNow(world, node))
  driver.stage = isKept ? next : GONE
}

/** Writes down again what the storage has lost of what this driver knows; false: nothing. */
function recover(world: World, node: Node, driver: Driver): boolean {
  const { head } = world.storage
  const lost = toLost(world, driver.head, head)
  nameLost(world, driver.head, head)
  if (decideAll(head, lost, wallNow(world, node)).events.length === 0) return false
  const known = driver.head
  driver.head = head
  record(world, node, driver, { commands: [], next: GONE, isFact: true, known })
  return true
}

/** Ends a driver that got no further; the task is anybody's at once. */
export function leave(world: World, node: Node, driver: Driver): void {
  if (recover(world, node, driver)) return
  if (has(world, "done-gives-back") && !driver.isCalledOff) {
    letGo(world, driver, wallNow(world, node))
  }
  driver.stage = GONE
}

/** Ends a driver; the task is anybody's from `dueAt` on, if it still is this process's. */
export function letGo(world: World, driver: Driver, dueAt: number): void {
  driver.stage = GONE
  if (driver.lease !== null) release(world, driver.lease, dueAt)
}
