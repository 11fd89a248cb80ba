/**
 * One piece of work in a process, step by step: the engine's drive, dispatch-step, channel-call,
 * doubt-step and follow-step. What a reader would get wrong: a step is what can't be interrupted.
 * Between two of them the process may be paused, lose its lease or die.
 *
 *   deciding ─queued→ recording `dispatched` → cleared ─check and send→ calling ─→ recording a fact
 *            ─dispatching (another's)→ recording `doubted`
 *            ─doubtful→ keyed: as queued, under the same key
 *                       lookup: waiting → asking → recording `accepted` or `deferred`
 *                       else: gone, until the task's end
 *            ─running→ asking → recording `succeeded` or `deferred`
 */
import { isOverdue, isTerminal, type TaskCommand } from "@safelight/core"
import { answer } from "./log-storage.ts"
import {
  appendAgain,
  isOverdueAppend,
  leave,
  letGo,
  recordFact,
  recordIntent,
} from "./recording.ts"
import {
  BREAKER_OPEN_MS,
  LEASE_MS,
  LONGEST_REQUEST_MS,
  PATIENCE_MS,
  SEND_WITHIN_MS,
  SUBMIT_TIMEOUT_MS,
} from "./timing.ts"
import { findOperation, keyTtlMs } from "./upstream.ts"
import {
  has,
  heldUntil,
  monotonicNow,
  nextId,
  tell,
  wallNow,
  type Call,
  type Driver,
  type Node,
  type Stage,
  type World,
} from "./world.ts"

export const CHANNEL = "channel"

/** Whether the driver has something to do now, rather than something to wait for. */
export function canStep(world: World, node: Node, driver: Driver): boolean {
  const now = monotonicNow(world, node)
  const { stage } = driver
  if (driver.after !== null && node.drivers.some(({ id }) => id === driver.after)) return false
  switch (stage.kind) {
    case "deciding":
    case "cleared":
      return true
    case "recording":
      return isOverdueAppend(world, node, driver)
    case "calling":
      return now >= stage.untilAt
    case "waiting":
      return driver.isCalledOff || now >= stage.untilAt
    case "asking":
      return stage.askedAt === null || now >= stage.askedAt + PATIENCE_MS
    case "gone":
      return false
  }
}

export function step(world: World, node: Node, driver: Driver): void {
  switch (driver.stage.kind) {
    case "deciding":
      return driver.isCalledOff ? leave(world, node, driver) : begin(world, node, driver)
    case "cleared":
      return send(world, node, driver, driver.stage)
    case "recording":
      return appendAgain(world, node, driver)
    case "calling":
      noteFailure(world, node)
      return doubt(world, node, driver, "aborted")
    case "waiting":
    case "asking":
      return driver.isCalledOff ? leave(world, node, driver) : ask(world, node, driver)
    case "gone":
      return undefined
  }
}

/** A call that failed: enough of them in a row, and nothing is begun for a while. */
export function noteFailure(world: World, node: Node): void {
  node.failuresInARow += 1
  node.openUntil = monotonicNow(world, node) + BREAKER_OPEN_MS
}

export function doubt(world: World, node: Node, driver: Driver, code: string): void {
  recordFact(world, node, driver, { kind: "doubt", attempt: driver.head.attempt, code })
}

function begin(world: World, node: Node, driver: Driver): void {
  const { head } = driver
  if (!isTerminal(head) && isOverdue(head, wallNow(world, node))) {
    return recordFact(world, node, driver, { kind: "time-out" })
  }
  switch (head.state) {
    case "queued":
      if (!has(world, "refusals-are-free") && head.attempt >= head.maxAttempts) {
        const { attempt } = head
        return recordFact(world, node, driver, {
          kind: "fail",
          attempt,
          code: "provider_unavailable",
        })
      }
      return dispatch(world, node, driver, false)
    case "doubtful":
      return resolve(world, node, driver)
    case "running":
      driver.stage = { kind: "asking", askedAt: null }
      return
    case "dispatching":
      // Whoever called is gone, and so is its answer.
      return doubt(world, node, driver, "caller-lost")
    case "nothing":
    case "succeeded.available":
    case "succeeded.expired":
    case "failed":
      return leave(world, node, driver)
  }
}

function dispatch(world: World, node: Node, driver: Driver, isRepeat: boolean): void {
  const { attempt, dispatch: last, id } = driver.head
  const command: TaskCommand = {
    kind: "dispatch",
    because: "",
    channel: CHANNEL,
    lease: driver.lease ?? node.process,
    sendBefore: 0,
    upstreamKey: isRepeat && last !== null ? last.upstreamKey : `${id}.${attempt + 1}`,
  }
  const isUrgent = !has(world, "intent-before-call") && canSend(world, node, driver, isRepeat)
  const next: Stage = isUrgent
    ? call(world, node, driver, isRepeat, command.upstreamKey)
    : { kind: "cleared", isRepeat, isChecked: false }
  recordIntent(world, node, driver, command, next)
}

function resolve(world: World, node: Node, driver: Driver): void {
  const { channel } = world.setup
  const { attempt, endBy, maxAttempts } = driver.head
  const isRepeatable =
    channel === "keyed" || (channel === "unkeyed" && !has(world, "unkeyed-rests"))
  const isAlive = !has(world, "key-alive-at-intent") || isKeyAlive(world, node, driver)
  const isFree = has(world, "repeats-are-free") || attempt < maxAttempts
  if (isRepeatable && isAlive && isFree) {
    return dispatch(world, node, driver, true)
  }
  if (channel !== "lookup") return letGo(world, driver, endBy)
  const leaseMs = has(world, "lookup-waits-lease") ? LEASE_MS : 0
  const sendMs = has(world, "lookup-waits-sending") ? SEND_WITHIN_MS : 0
  const requestMs = has(world, "lookup-waits-request") ? LONGEST_REQUEST_MS : 0
  driver.stage = { kind: "waiting", untilAt: driver.takenAt + leaseMs + sendMs + requestMs }
}

/** Asked just before the call begins: the work is still ours, a repeated key still honoured. */
function canSend(world: World, node: Node, driver: Driver, isRepeat: boolean): boolean {
  const isOurs = !driver.isCalledOff && heldUntil(node) > monotonicNow(world, node)
  if (!isOurs && has(world, "lease-holds-at-call")) return false
  return !isRepeat || !has(world, "key-alive-at-send") || isKeyAlive(world, node, driver)
}

function isKeyAlive(world: World, node: Node, { head }: Driver): boolean {
  const now = wallNow(world, node)
  const keyedAt = head.dispatch?.keyedAt ?? now
  return world.setup.channel !== "keyed" || now + SUBMIT_TIMEOUT_MS < keyedAt + keyTtlMs(world)
}

function send(
  world: World,
  node: Node,
  driver: Driver,
  { isRepeat, isChecked }: Extract<Stage, { kind: "cleared" }>,
): void {
  const { head } = driver
  if (!isChecked && !canSend(world, node, driver, isRepeat)) {
    if (isRepeat && has(world, "repeat-proves-nothing")) {
      return doubt(world, node, driver, "repeat-unsent")
    }
    const retryAt = wallNow(world, node)
    const { attempt } = head
    return recordFact(world, node, driver, { kind: "defer", attempt, reason: "unsent", retryAt })
  }
  if (!isChecked && !has(world, "check-with-send")) {
    driver.stage = { kind: "cleared", isRepeat, isChecked: true }
    return
  }
  const key = head.dispatch?.upstreamKey ?? ""
  driver.stage = call(world, node, driver, isRepeat, key)
}

function call(world: World, node: Node, { head }: Driver, isRepeat: boolean, key: string): Stage {
  const made: Call = { id: nextId(world), head, isRepeat }
  node.calls.set(made.id, made)
  const sentKey = has(world, "same-key") ? key : `${head.id}.${head.attempt}`
  world.messages.push({
    body: { kind: "submit", by: node.process, call: made.id, key: sentKey },
    lostAt: world.nowMs + SEND_WITHIN_MS + LONGEST_REQUEST_MS,
    process: null,
  })
  tell(world, () => `${node.process} calls the channel under ${sentKey}`)
  return { kind: "calling", call: made, untilAt: monotonicNow(world, node) + SUBMIT_TIMEOUT_MS }
}

/**
 * Asks whether the key exists, or how the operation stands. The question is answered at once and the
 * answer may take its time: that the question does would only make it the safer.
 */
function ask(world: World, node: Node, driver: Driver): void {
  const { head, id } = driver
  const key = head.dispatch?.upstreamKey ?? ""
  const body =
    head.state === "running"
      ? ({ kind: "polled", driver: id, operation: head.operation } as const)
      : ({ kind: "found", driver: id, operation: findOperation(world, key) } as const)
  if (world.upstream.absence === null) world.messages.push(answer(node.process, body))
  driver.stage = { kind: "asking", askedAt: monotonicNow(world, node) }
}
