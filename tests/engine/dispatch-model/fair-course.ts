/**
 * The course of things without faults: whatever can happen does, each in its turn, and where nothing
 * can, time passes. What a reader would get wrong: it is not only the drain at the end; the adversary
 * lets it run in between, so that a paused process finds the world far ahead of it.
 */
import { listFairMoves, pass, tidy } from "./moves.ts"
import { wallNow, type World } from "./world.ts"

/** Where nothing can happen, time passes in steps that let renewals be in time. */
const STEP_MS = 2

/** Things take their time, so that renewals come in the midst of them. */
const MOVES_PER_MS = 3

/** One thing that can happen happens, each in its turn; where nothing can, time passes. */
export function runFairly(world: World, round: number): void {
  const moves = listFairMoves(world)
  const move = moves[round % moves.length]
  if (move !== undefined) {
    move.perform()
    tidy(world)
    if (round % MOVES_PER_MS === 0) pass(world, 1)
  } else pass(world, STEP_MS)
}

/** Time passes until the task must end, by every clock. */
export function passUntilEnd(world: World): void {
  const walls = world.nodes.filter(({ isUp }) => isUp).map((node) => wallNow(world, node))
  pass(world, Math.max(STEP_MS, world.storage.head.endBy - Math.min(...walls)))
}
