/**
 * What a process does besides its drivers: it renews its lease, expires those of others whose heartbeats stand
 * still, takes the task, ends it when its time is up. What a reader would get wrong: a restarted process
 * is another one, with another lease, and knows nothing.
 */
import { isOverdue, isTerminal } from "@safelight/core"
import { newDriver } from "./answers.ts"
import { expire } from "./log-storage.ts"
import {
  BEAT_EVERY_MS,
  BEAT_PATIENCE_MS,
  BREAKER_FAILURES,
  LEASE_MS,
  PATIENCE_MS,
  SUBMIT_TIMEOUT_MS,
} from "./timing.ts"
import {
  has,
  heldUntil,
  monotonicNow,
  nextId,
  tell,
  wallNow,
  type MessageBody,
  type Node,
  type World,
} from "./world.ts"

export interface Chore {
  canDo(world: World, node: Node): boolean
  perform(world: World, node: Node): void
}

function request(world: World, body: MessageBody): void {
  world.messages.push({ body, lostAt: Infinity, process: null })
}

/** One at a time; the answer to one that was given up is not listened to any more. */
const beat: Chore = {
  canDo(world, node) {
    const now = monotonicNow(world, node)
    const { beatAt, beating } = node
    if (beating !== null) return now >= beating.askedAt + BEAT_PATIENCE_MS
    return beatAt === null || now >= beatAt + BEAT_EVERY_MS
  },
  perform(world, node) {
    const id = nextId(world)
    const askedAt = monotonicNow(world, node)
    const inHand = node.drivers.filter(({ lease }) => lease !== null)
    node.beatAt = askedAt
    node.beats += 1
    node.beating = { id, askedAt, known: inHand.map((driver) => driver.id) }
    const { beats, process: by } = node
    request(world, { kind: "heartbeat", by, id, beats, wallAt: wallNow(world, node) })
  },
}

/** The first lease that stood still for long enough. */
function findStill(world: World, node: Node): string | undefined {
  const now = monotonicNow(world, node)
  const wall = wallNow(world, node)
  const areClocksApart = has(world, "no-clocks-compared")
  for (const [lease, { sinceAt, wallAt }] of node.seen) {
    if (areClocksApart ? now >= sinceAt + LEASE_MS : wall >= wallAt + LEASE_MS) return lease
  }
  return undefined
}

const expireStill: Chore = {
  canDo: (world, node) => findStill(world, node) !== undefined,
  perform(world, node) {
    const lease = findStill(world, node)
    if (lease === undefined) return
    const beats = node.seen.get(lease)?.beats ?? 0
    node.seen.delete(lease)
    expire(world, lease, beats)
    tell(world, () => `${node.process} finds ${lease} still and expires it`)
  },
}

/** Whether the breaker lets a call be made: always, or once it has waited; a world has one task to try it with. */
function hasRoom(world: World, node: Node): boolean {
  if (!world.setup.faults.includes("away")) return true
  if (node.failuresInARow < BREAKER_FAILURES) return true
  const { state } = world.storage.head
  const isCall = state === "queued" || state === "doubtful"
  return !isCall || monotonicNow(world, node) >= node.openUntil
}

const take: Chore = {
  canDo(world, node) {
    const { ready } = world.storage
    const isFree = !ready.isDone && ready.lease === null && ready.dueAt <= wallNow(world, node)
    if (!isFree || !hasRoom(world, node) || node.taking !== null) return false
    // What is taken under a lease about to run out could not be sent.
    const leftMs = heldUntil(node) - monotonicNow(world, node)
    return leftMs > (has(world, "takes-when-fresh") ? SUBMIT_TIMEOUT_MS : 0)
  },
  perform(world, node) {
    const id = nextId(world)
    node.taking = { id, askedAt: monotonicNow(world, node), lapses: node.lapses }
    request(world, { kind: "take", by: node.process, id })
  },
}

/** No answer came, and none is listened to any more: what was taken all the same is held and unknown. */
const giveUpTaking: Chore = {
  canDo(world, node) {
    const { taking } = node
    return taking !== null && monotonicNow(world, node) >= taking.askedAt + PATIENCE_MS
  },
  perform: (_world, node) => void (node.taking = null),
}

/** Ends the task when its time is up, whoever holds it. */
const sweep: Chore = {
  canDo(world, node) {
    const { head } = world.storage
    if (isTerminal(head) || !isOverdue(head, wallNow(world, node))) return false
    return node.drivers.every(({ lease }) => lease !== null)
  },
  perform(world, node) {
    node.drivers.push(newDriver(world, node, world.storage.head))
  },
}

export const CHORES: readonly Chore[] = [take, expireStill, beat, giveUpTaking, sweep]

export function start(world: World, node: Node): void {
  node.boots += 1
  Object.assign(node, { process: `${node.name}${node.boots}`, isUp: true, isPaused: false })
  Object.assign(node, { renewedAt: -Infinity, lapses: 0, unknownSince: null })
  Object.assign(node, { beats: 0, beatAt: null, beating: null, taking: null })
  Object.assign(node, { failuresInARow: 0, openUntil: -Infinity })
  tell(world, () => `${node.process} starts`)
}

/** Everything the process knew is gone; what it sent is under way still. */
export function crash(world: World, node: Node): void {
  tell(world, () => `${node.process} crashes`)
  node.isUp = false
  node.drivers = []
  node.calls = new Map()
  node.seen = new Map()
  world.messages = world.messages.filter(({ process }) => process !== node.process)
  world.heard = world.heard.filter(({ process }) => process !== node.process)
  world.told = world.told.filter(({ process }) => process !== node.process)
  for (const { knowers } of world.upstream.operations) knowers.delete(node.process)
}
