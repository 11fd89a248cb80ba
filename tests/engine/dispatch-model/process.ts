/**
 * What a process does besides its drivers: it shows that it is alive, watches the claims of others and
 * voids those whose beats stand still, takes the task, ends it when its time is up. What a reader would
 * get wrong: a restarted process is another one, with another claim, and knows nothing.
 */
import { isOverdue, isTerminal } from "@safelight/core"
import { newDriver } from "./answers.ts"
import { answer, remember, voidClaim } from "./log-storage.ts"
import {
  BEAT_EVERY_MS,
  BREAKER_FAILURES,
  CLAIM_LIFE_MS,
  CLAIM_MS,
  PATIENCE_MS,
  SUBMIT_TIMEOUT_MS,
} from "./timing.ts"
import {
  has,
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

function isDue(world: World, node: Node, lastAt: number | null): boolean {
  return lastAt === null || monotonicNow(world, node) >= lastAt + BEAT_EVERY_MS
}

function request(world: World, body: MessageBody): void {
  world.messages.push({ body, lostAt: Infinity, process: null })
}

const beat: Chore = {
  canDo: (world, node) => isDue(world, node, node.beatAt),
  perform(world, node) {
    const askedAt = monotonicNow(world, node)
    const wallAt = wallNow(world, node)
    node.beatAt = askedAt
    const own = new Set([node.claim])
    for (const { claim } of node.drivers) if (claim !== null) own.add(claim)
    for (const claim of own) {
      const drivers = node.drivers.filter((driver) => driver.claim === claim).map(({ id }) => id)
      request(world, { kind: "renew", by: node.process, claim, askedAt, wallAt, drivers })
    }
  },
}

const watch: Chore = {
  canDo: (world, node) => isDue(world, node, node.watchedAt),
  perform(world, node) {
    const askedAt = monotonicNow(world, node)
    node.watchedAt = askedAt
    request(world, { kind: "list", by: node.process, askedAt })
  },
}

/** The first claim that stood still for long enough. */
function findStill(world: World, node: Node): string | undefined {
  const now = monotonicNow(world, node)
  const wall = wallNow(world, node)
  const areClocksApart = has(world, "no-clocks-compared")
  for (const [claim, { sinceAt, wallAt }] of node.seen) {
    if (areClocksApart ? now >= sinceAt + CLAIM_MS : wall >= wallAt + CLAIM_MS) return claim
  }
  return undefined
}

const voidStill: Chore = {
  canDo: (world, node) => findStill(world, node) !== undefined,
  perform(world, node) {
    const claim = findStill(world, node)
    if (claim === undefined) return
    const beats = node.seen.get(claim)?.beats ?? 0
    node.seen.delete(claim)
    voidClaim(world, claim, beats)
    tell(world, () => `${node.process} finds ${claim} still and voids it`)
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
    const isFree = !ready.isDone && ready.claim === null && ready.dueAt <= wallNow(world, node)
    if (isFree && !hasRoom(world, node)) return false
    // What is taken under a claim about to run out could not be sent.
    const heldUntil = node.renewedAt + CLAIM_MS
    const isFresh = heldUntil - monotonicNow(world, node) > SUBMIT_TIMEOUT_MS
    return isFree && (isFresh || !has(world, "takes-when-fresh")) && node.claiming === null
  },
  perform(world, node) {
    const { ready, head } = world.storage
    remember(world)
    ready.claim = node.claim
    node.claiming = { id: nextId(world), askedAt: monotonicNow(world, node) }
    world.messages.push(answer(node.process, { kind: "claimed", id: node.claiming.id, head }))
  },
}

/**
 * The answer to its claiming was lost, and it can't know what it holds. Another claim takes the place
 * of this one, which ends as a dead process's does. Nobody can have seen a new claim before it was
 * there, so it holds as if it had been renewed then.
 */
const retire: Chore = {
  canDo(world, node) {
    const { claiming } = node
    return claiming !== null && monotonicNow(world, node) >= claiming.askedAt + PATIENCE_MS
  },
  perform(world, node) {
    node.claiming = null
    if (has(world, "unheard-claim-retired")) beginClaim(world, node)
  },
}

/**
 * Another claim takes the place of one that is some time old. What is held under it and unknown here
 * is free as soon as it is voided, and that is as soon as no work is left that renews it.
 */
const renewClaim: Chore = {
  canDo(world, node) {
    const isOld = monotonicNow(world, node) >= node.claimedAt + CLAIM_LIFE_MS
    return has(world, "claims-retire") && isOld && node.claiming === null
  },
  perform: beginClaim,
}

/** Ends the task when its time is up, whoever holds it. */
const sweep: Chore = {
  canDo(world, node) {
    const { head } = world.storage
    if (isTerminal(head) || !isOverdue(head, wallNow(world, node))) return false
    return node.drivers.every(({ claim }) => claim !== null)
  },
  perform(world, node) {
    node.drivers.push(newDriver(world, node, world.storage.head))
  },
}

export const CHORES: readonly Chore[] = [take, voidStill, beat, watch, retire, renewClaim, sweep]

function beginClaim(world: World, node: Node): void {
  node.claim = `${node.process}.${nextId(world)}`
  node.claimedAt = monotonicNow(world, node)
  node.renewedAt = node.claimedAt
}

export function start(world: World, node: Node): void {
  node.boots += 1
  Object.assign(node, { process: `${node.name}${node.boots}`, isUp: true, isPaused: false })
  Object.assign(node, { beatAt: null, watchedAt: null, claiming: null })
  Object.assign(node, { failuresInARow: 0, openUntil: -Infinity })
  beginClaim(world, node)
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
