/**
 * What a process does when an answer reaches it. What a reader would get wrong: an answer may come
 * after its driver has given up waiting, twice, or when the task is somebody else's; what it says is
 * a fact all the same.
 */
import { isTerminal } from "@safelight/core"
import { noteFailure } from "./driver.ts"
import { leave, receiveAppended, recordFact } from "./recording.ts"
import { CLAIM_MS, toBackoffMs } from "./timing.ts"
import { tellEnd } from "./upstream.ts"
import {
  has,
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
    case "listed":
      return receiveListed(world, node, body)
    case "claimed":
      return receiveClaimed(world, node, body)
    case "answered":
      return receiveCallAnswer(world, node, body)
    case "found":
    case "polled":
      return receiveReply(world, node, body)
    case "append":
    case "list":
    case "renew":
    case "submit":
      throw new TypeError(`${body.kind} is no answer`)
  }
}

/** What was held when the renewal was asked for is held from that moment on, or lost. */
function receiveRenewed(world: World, node: Node, answer: Body<"renewed">): void {
  const isAsked = has(world, "held-from-asking")
  const fromAt = isAsked ? answer.askedAt : monotonicNow(world, node)
  if (answer.claim === node.claim) node.renewedAt = Math.max(node.renewedAt, fromAt)
  for (const driver of node.drivers.filter(({ id }) => answer.drivers.includes(id))) {
    if (!answer.isKept) driver.isCalledOff = true
    else driver.heldUntil = Math.max(driver.heldUntil, fromAt + CLAIM_MS)
  }
}

function receiveListed(world: World, node: Node, { askedAt, claims }: Body<"listed">): void {
  const now = monotonicNow(world, node)
  const own = new Set([node.claim, ...node.drivers.map((driver) => driver.claim)])
  const seen: Node["seen"] = new Map()
  for (const { claim, beats, wallAt } of claims) {
    if (own.has(claim)) continue
    const before = node.seen.get(claim)
    const sinceAt = has(world, "seen-from-reading") ? now : askedAt
    seen.set(claim, before?.beats === beats ? before : { beats, sinceAt, wallAt })
  }
  node.seen = seen
}

/** A task comes into this process's hands, or comes back to them. */
function receiveClaimed(world: World, node: Node, { id, head }: Body<"claimed">): void {
  if (node.claiming?.id !== id) return
  const { askedAt } = node.claiming
  node.claiming = null
  const isBeatAlone = has(world, "renewal-alone-prolongs")
  const heldUntil = (isBeatAlone ? node.renewedAt : askedAt) + CLAIM_MS
  const earlier = node.drivers.findLast((driver) => driver.claim !== null)
  if (earlier !== undefined && !earlier.isCalledOff && !has(world, "driver-called-off")) {
    earlier.heldUntil = heldUntil
    earlier.claim = node.claim
    return
  }
  if (earlier !== undefined) earlier.isCalledOff = true
  node.drivers.push({
    ...newDriver(world, node, head),
    heldUntil,
    claim: node.claim,
    after: earlier?.id ?? null,
  })
  tell(
    world,
    () => `${node.process} takes the task under ${node.claim} (${head.version}, ${head.state})`,
  )
}

/** A driver that holds nothing: for a fact that somebody must write down. */
export function newDriver(world: World, node: Node, head: Driver["head"]): Driver {
  return {
    id: nextId(world),
    claim: null,
    head,
    takenAt: monotonicNow(world, node),
    heldUntil: -Infinity,
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
