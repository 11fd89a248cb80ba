/**
 * The end of every schedule: the faults are over, paused processes wake, one runs at least, and what is
 * under way arrives, until the task has ended and nobody works on it. What a reader would get wrong: a
 * node that crashed and did not come back stays away, so its lease must be expired by the others.
 */
import { isTerminal } from "@safelight/core"
import { passUntilEnd, runFairly } from "./fair-course.ts"
import { canArrive, listFairMoves } from "./moves.ts"
import { start } from "./process.ts"
import type { Message, World } from "./world.ts"

/** Several times what the longest way to an end needs. */
const ROUNDS = 2_000

export function drain(world: World): void {
  world.upstream.absence = null
  for (const node of world.nodes) node.isPaused = false
  for (const message of world.messages) message.isKeptBack = false
  const [first] = world.nodes
  if (first !== undefined && world.nodes.every(({ isUp }) => !isUp)) start(world, first)
  runUntilSettled(world)
  if (isSettled(world)) return
  passUntilEnd(world)
  runUntilSettled(world)
}

function runUntilSettled(world: World): void {
  for (let round = 0; round < ROUNDS && !isSettled(world); round += 1) {
    if (isResting(world)) passUntilEnd(world)
    else runFairly(world, round)
  }
}

/** A doubt that nothing but its task's end can resolve. */
function isResting(world: World): boolean {
  const { head, ready } = world.storage
  if (ready.lease !== null || ready.dueAt < head.endBy || isTerminal(head)) return false
  return isQuiet(world) && listFairMoves(world).length === 0
}

export function isSettled(world: World): boolean {
  return isTerminal(world.storage.head) && isQuiet(world)
}

/** Nobody works, and nothing is under way but signs of life. */
function isQuiet(world: World): boolean {
  if (world.nodes.some(({ drivers }) => drivers.length > 0)) return false
  return world.messages.every((message) => isBeat(message) || !canArrive(world, message))
}

function isBeat({ body: { kind } }: Message): boolean {
  return kind === "heartbeat" || kind === "renewed"
}
