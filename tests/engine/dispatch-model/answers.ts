/**
 * What a process does when an answer reaches it. What a reader would get wrong: an answer may come
 * after its driver has given up waiting, twice, or when the task is somebody else's; what it says is
 * a fact all the same.
 */
import { isTerminal } from "@safelight/core"
import { noteFailure } from "./driver.ts"
import { release } from "./log-storage.ts"
import { leave, receiveAppended, recordFact } from "./recording.ts"
import { toBackoffMs } from "./timing.ts"
import { tellEnd } from "./upstream.ts"
import {
  has,
  heldUntil,
  monotonicNow,
  nextId,
  tell,
  wallNow,
  type Call,
  type Driver,
  type MessageBody,
  type Node,
  type World,
} from "./world.ts"

type Body<Kind extends MessageBody["kind"]> = Extract<MessageBody, { kind: Kind }>

/** What one image costs, in micro-units. */
export const PRICE_MICROS = 30_000

export function receiveAnswer(world: World, node: Node, body: MessageBody): void {
  switch (body.kind) {
    case "appended": {
      const driver = node.drivers.find(({ id }) => id === body.driver)
      return driver && receiveAppended(world, node, driver, body)
    }
    case "renewed":
      return receiveRenewed(world, node, body)
    case "taken":
      return receiveTaken(world, node, body)
    case "answered":
      return receiveCallAnswer(world, node, body)
    case "found":
    case "polled":
      return receiveReply(world, node, body)
    case "append":
    case "heartbeat":
    case "submit":
    case "take":
      throw new TypeError(`${body.kind} is no answer`)
  }
}

/** The lease holds from when the heartbeat was sent; what is held is made equal to what is in hand. */
function receiveRenewed(world: World, node: Node, { id, isHeld, leases }: Body<"renewed">): void {
  if (node.beating?.id !== id) return
  const { askedAt, known } = node.beating
  node.beating = null
  const now = monotonicNow(world, node)
  if (now >= heldUntil(node)) node.lapses += 1
  node.renewedAt = Math.max(node.renewedAt, has(world, "held-from-asking") ? askedAt : now)
  if (!isHeld && has(world, "lost-called-off")) {
    for (const driver of node.drivers) if (known.includes(driver.id)) driver.isCalledOff = true
  }
  releaseUnknown(world, node, isHeld)
  see(world, node, leases, askedAt)
}

/** At the second heartbeat that finds it so, unless a taking under way may bring it. */
function releaseUnknown(world: World, node: Node, isHeld: boolean): void {
  const isInHand = node.drivers.some(({ lease }) => lease !== null)
  const isUnknown = isHeld && !isInHand
  const isStale = (node.unknownSince ?? Infinity) < (node.taking?.askedAt ?? Infinity)
  if (isUnknown && isStale && has(world, "unknown-released")) {
    tell(world, () => `${node.process} releases what it holds and does not know`)
    release(world, node.process, wallNow(world, node))
  }
  node.unknownSince = isUnknown ? (node.unknownSince ?? monotonicNow(world, node)) : null
}

function see(world: World, node: Node, leases: Body<"renewed">["leases"], askedAt: number): void {
  const now = monotonicNow(world, node)
  const sinceAt = has(world, "seen-from-reading") ? now : askedAt
  const seen: Node["seen"] = new Map()
  for (const { lease, beats, wallAt } of leases) {
    if (lease === node.process) continue
    const before = node.seen.get(lease)
    seen.set(lease, before?.beats === beats ? before : { beats, sinceAt, wallAt })
  }
  node.seen = seen
}

/** A task comes into this process's hands, or comes back to them. */
function receiveTaken(world: World, node: Node, { id, head }: Body<"taken">): void {
  if (node.taking?.id !== id) return
  const { askedAt, lapses } = node.taking
  node.taking = null
  if (!has(world, "renewal-alone-prolongs")) node.renewedAt = Math.max(node.renewedAt, askedAt)
  const isSound = lapses === node.lapses && monotonicNow(world, node) < heldUntil(node)
  if (!isSound && has(world, "begun-if-sound")) {
    return release(world, node.process, wallNow(world, node))
  }
  hold(world, node, head)
}

/** A driver that had the task before is called off: it may be about to hear that it gave the task back. */
function hold(world: World, node: Node, head: Driver["head"]): void {
  const earlier = node.drivers.findLast((driver) => driver.lease !== null)
  const goesOn = earlier !== undefined && !earlier.isCalledOff
  if (goesOn && !has(world, "driver-called-off")) return
  if (earlier !== undefined) earlier.isCalledOff = true
  node.drivers.push({
    ...newDriver(world, node, head),
    lease: node.process,
    after: earlier?.id ?? null,
  })
  tell(world, () => `${node.process} takes the task (${head.version}, ${head.state})`)
}

/** A driver that holds nothing: for a fact that somebody must write down. */
export function newDriver(world: World, node: Node, head: Driver["head"]): Driver {
  return {
    id: nextId(world),
    lease: null,
    head,
    takenAt: monotonicNow(world, node),
    isCalledOff: false,
    after: null,
    stage: { kind: "deciding" },
  }
}

function receiveCallAnswer(
  world: World,
  node: Node,
  { call: id, operation }: Body<"answered">,
): void {
  const call = node.calls.get(id)
  if (call === undefined) return
  node.calls.delete(id)
  const isOpen = !isTerminal(world.storage.head)
  if (operation !== null && isOpen) world.heard.push({ process: node.process, operation })
  if (operation !== null) {
    world.told.push({ process: node.process, operation })
    node.failuresInARow = 0
  } else noteFailure(world, node)
  tell(world, () => `${node.process} hears of ${operation ?? "no creation"}`)
  recordOutcome(world, node, toRecorder(world, node, call), call, operation)
}

/** The driver that waits for the answer, or one that only writes down the late answer. */
function toRecorder(world: World, node: Node, call: Call): Driver {
  const waiting = node.drivers.find(
    ({ stage }) => stage.kind === "calling" && stage.call.id === call.id,
  )
  if (waiting !== undefined) return waiting
  const late = newDriver(world, node, call.head)
  node.drivers.push(late)
  return late
}

function recordOutcome(
  world: World,
  node: Node,
  driver: Driver,
  { head: { attempt, dispatch }, isRepeat }: Call,
  operation: string | null,
): void {
  const upstreamKey = dispatch?.upstreamKey ?? ""
  if (operation !== null) {
    return recordFact(world, node, driver, { kind: "accept", operation, upstreamKey })
  }
  if (isRepeat && has(world, "repeat-proves-nothing")) {
    const code = "repeat-not-created"
    return recordFact(world, node, driver, { kind: "doubt", attempt, code })
  }
  const retryAt = wallNow(world, node) + toBackoffMs(world, attempt)
  recordFact(world, node, driver, { kind: "defer", attempt, reason: "not-created", retryAt })
}

/** What the channel says of the key, or of the operation. */
function receiveReply(world: World, node: Node, body: Body<"found"> | Body<"polled">): void {
  const driver = node.drivers.find(({ id }) => id === body.driver)
  if (driver?.stage.kind !== "asking") return
  if (driver.isCalledOff) return leave(world, node, driver)
  const { attempt, dispatch } = driver.head
  const retryAt = wallNow(world, node)
  if (body.kind === "polled") {
    if (tellEnd(world, body.operation)) {
      const reason = "produced-nothing"
      return recordFact(world, node, driver, { kind: "defer", attempt, reason, retryAt })
    }
    const usage = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
    return recordFact(world, node, driver, {
      kind: "succeed",
      artifacts: [],
      chargeMicros: PRICE_MICROS,
      usage,
    })
  }
  const { operation } = body
  if (operation !== null) {
    const upstreamKey = dispatch?.upstreamKey ?? ""
    return recordFact(world, node, driver, { kind: "accept", operation, upstreamKey })
  }
  recordFact(world, node, driver, { kind: "defer", attempt, reason: "not-found", retryAt })
}
