/**
 * Everything that may happen next, each with how likely it is: what the processes do, and what the
 * adversary does to them, to the network and to time. What a reader would get wrong: the likelihoods
 * matter for how soon harm is found, never for what counts as harm.
 */
import { receiveAnswer } from "./answers.ts"
import { canStep, doubt, step } from "./driver.ts"
import { goBack } from "./go-back.ts"
import { receiveAppend, receiveHeartbeat, receiveTake } from "./log-storage.ts"
import { CHORES, crash, start } from "./process.ts"
import { AWAY_MS, BEAT_EVERY_MS, LEASE_MS, SUBMIT_TIMEOUT_MS, WALL_ERROR_MS } from "./timing.ts"
import { keyTtlMs, receiveSubmit } from "./upstream.ts"
import { tell, type Fault, type Message, type Node, type Operation, type World } from "./world.ts"

export interface Move {
  readonly weight: number
  readonly perform: () => void
}

export function toMove(weight: number, perform: () => void): Move {
  return { weight, perform }
}

/** What processes do by themselves, and what arrives: the moves of a world without faults. */
export function listFairMoves(world: World): Move[] {
  const moves: Move[] = []
  for (const message of world.messages) {
    if (message.isKeptBack !== true && canArrive(world, message)) {
      moves.push(toMove(4, () => arrive(world, message, false)))
    }
  }
  for (const node of world.nodes)
    if (node.isUp && !node.isPaused) addProcessMoves(world, node, moves)
  return moves
}

function addProcessMoves(world: World, node: Node, moves: Move[]): void {
  for (const driver of node.drivers) {
    if (canStep(world, node, driver)) {
      moves.push(toMove(4, () => step(world, node, driver)))
    }
  }
  for (const chore of CHORES) {
    if (chore.canDo(world, node)) {
      moves.push(toMove(1, () => chore.perform(world, node)))
    }
  }
}

/** The adversary's moves, as far as the setup lets it. */
export function listFaults(world: World): Move[] {
  const { setup } = world
  const can = new Set(setup.faults)
  const moves: Move[] = [toMove(1, () => pass(world, 1))]
  for (const message of world.messages) {
    if (setup.touched.includes(message.body.kind)) addMessageFaults(world, message, can, moves)
  }
  for (const node of world.nodes) addNodeFaults(world, node, can, moves)
  for (const operation of can.has("void") ? world.upstream.operations : []) {
    if (operation.isVoid || operation.isEndTold) continue
    moves.push(toMove(2, () => makeVoid(world, operation)))
  }
  addRareFaults(world, can, moves)
  if (can.has("wait")) {
    for (const durationMs of toWaits(world)) {
      moves.push(toMove(1, () => pass(world, durationMs)))
    }
  }
  return moves
}

function addRareFaults(world: World, can: ReadonlySet<Fault>, moves: Move[]): void {
  const { storage, upstream } = world
  if (can.has("away")) {
    const nexts = upstream.absence === null ? (["refusing", "cutting"] as const) : [null]
    for (const next of nexts) moves.push(toMove(2, () => turnAway(world, next)))
  }
  for (const commits of can.has("go-back") ? [1, 2, 3] : []) {
    if (commits > storage.earlier.length) continue
    moves.push(toMove(1, () => goBack(world, commits)))
  }
}

/** It goes away, or comes back. */
function turnAway(world: World, absence: World["upstream"]["absence"]): void {
  world.upstream.absence = absence
  tell(world, () => `the provider is ${absence === null ? "back" : `away, ${absence}`}`)
}

function toWaits(world: World): number[] {
  const { setup, storage } = world
  const { dispatch } = storage.head
  const waits = [SUBMIT_TIMEOUT_MS / 2, BEAT_EVERY_MS, LEASE_MS]
  if (world.upstream.absence !== null) waits.push(AWAY_MS)
  if (setup.channel !== "keyed" || setup.isRoomy || dispatch === null) return waits
  // Until a repeat is sent just in time, by the slowest clock.
  const slowest = Math.min(...world.nodes.map(({ wallMs }) => wallMs))
  const lastAt = dispatch.keyedAt + keyTtlMs(world) - SUBMIT_TIMEOUT_MS - slowest
  return [...waits, Math.max(1, lastAt - world.nowMs - 1)]
}

function addMessageFaults(
  world: World,
  message: Message,
  can: ReadonlySet<Fault>,
  moves: Move[],
): void {
  const { kind } = message.body
  if (can.has("lose")) moves.push(toMove(1, () => lose(world, message)))
  if (message.isKeptBack === true) {
    if (canArrive(world, message)) {
      moves.push(toMove(1, () => arrive(world, message, false)))
    }
  } else if (can.has("keep-back")) {
    moves.push(toMove(4, () => void (message.isKeptBack = true)))
  }
  // A request made twice by the network is bought twice by whatever knows no key.
  if (can.has("copy") && (kind !== "submit" || world.setup.channel === "keyed")) {
    moves.push(toMove(1, () => void world.messages.push({ ...message })))
  }
  if (can.has("refuse") && kind === "submit") {
    moves.push(toMove(4, () => arrive(world, message, true)))
  }
}

function addNodeFaults(world: World, node: Node, can: ReadonlySet<Fault>, moves: Move[]): void {
  if (!node.isUp) {
    moves.push(toMove(4, () => start(world, node)))
    return
  }
  if (can.has("crash")) moves.push(toMove(1, () => crash(world, node)))
  if (can.has("pause")) moves.push(toMove(2, () => pause(world, node)))
  for (const driver of node.isPaused ? [] : node.drivers) {
    if (driver.stage.kind === "calling" && can.has("cut")) {
      moves.push(toMove(4, () => doubt(world, node, driver, "connection-lost")))
    }
  }
  if (can.has("jump") && world.setup.channel !== "keyed") {
    moves.push(toMove(1, () => void (node.wallMs = WALL_ERROR_MS - node.wallMs)))
  }
}

function makeVoid(world: World, operation: Operation): void {
  operation.isVoid = true
  tell(world, () => `${operation.id} will produce nothing`)
}

function pause(world: World, node: Node): void {
  node.isPaused = !node.isPaused
  tell(world, () => `${node.process} ${node.isPaused ? "is paused" : "wakes"}`)
}

export function pass(world: World, durationMs: number): void {
  world.nowMs += durationMs
  world.messages = world.messages.filter(({ lostAt }) => lostAt > world.nowMs)
}

/** Whether somebody is there to hear it: a paused process hears when it wakes. */
export function canArrive({ nodes }: World, { process }: Message): boolean {
  return (
    process === null ||
    nodes.some((node) => node.process === process && node.isUp && !node.isPaused)
  )
}

function lose(world: World, message: Message): void {
  tell(world, () => `${message.body.kind} of ${toSender(message)} is lost`)
  remove(world, message)
}

function remove(world: World, message: Message): void {
  world.messages.splice(world.messages.indexOf(message), 1)
}

function toSender({ body, process }: Message): string {
  return process ?? ("by" in body ? body.by : "")
}

/** A request or an answer arrives. */
function arrive(world: World, message: Message, isRefused: boolean): void {
  const { body, process } = message
  remove(world, message)
  tell(world, () => `${body.kind} of ${toSender(message)} arrives${isRefused ? ", refused" : ""}`)
  switch (body.kind) {
    case "append":
      world.messages.push(receiveAppend(world, body))
      return
    case "heartbeat":
      world.messages.push(receiveHeartbeat(world, body))
      return
    case "submit":
    case "take": {
      const reply =
        body.kind === "take" ? receiveTake(world, body) : receiveSubmit(world, body, isRefused)
      if (reply !== undefined) world.messages.push(reply)
      return
    }
    case "answered":
    case "appended":
    case "found":
    case "polled":
    case "renewed":
    case "taken": {
      const node = world.nodes.find((each) => each.process === process)
      if (node !== undefined) receiveAnswer(world, node, body)
    }
  }
}

/** Forgets drivers that are done. */
export function tidy({ nodes }: World): void {
  for (const node of nodes) {
    if (node.drivers.some(({ stage }) => stage.kind === "gone")) {
      node.drivers = node.drivers.filter(({ stage }) => stage.kind !== "gone")
    }
  }
}
