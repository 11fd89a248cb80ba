/**
 * A run of the model: a schedule of moves, then a fair drain, then the verdict. What a reader would
 * get wrong: a schedule is only a list of numbers, each choosing among what may happen then, so any
 * part of it is a schedule too, and a counterexample shrinks.
 */
import * as fc from "fast-check"
import { drain, isSettled } from "./drain.ts"
import { runFairly } from "./fair-course.ts"
import { findHarm, type Harm } from "./harm.ts"
import { listFairMoves, listFaults, tidy, toMove, type Move } from "./moves.ts"
import { createWorld } from "./new-world.ts"
import type { Safeguard } from "./safeguards.ts"
import { WALL_ERROR_MS, WALL_SKEW_MS } from "./timing.ts"
import {
  FAULTS,
  type RARE_FAULTS,
  TOUCHABLE,
  type ChannelKind,
  type Fault,
  type Setup,
  type World,
} from "./world.ts"

export interface Schedule {
  readonly setup: Setup
  /** Each chooses among the moves at hand, by weight. */
  readonly choices: readonly number[]
}

/** Where the adversary looks: anywhere, unless it is told. */
export interface Aim {
  readonly isRoomy?: boolean
  readonly faults?: Setup["faults"]
  readonly touched?: Setup["touched"]
  /** What it may do besides. */
  readonly rare?: readonly (typeof RARE_FAULTS)[number][]
}

/** Enough for three takeovers, since a stretch without faults is one choice. */
const MOST_CHOICES = 60

/** From the start to the first attempt's poll. */
const LONGEST_PRELUDE = 8

/** Things that happen in a stretch without faults: enough for a takeover with its wait. */
const STRETCH_ROUNDS = 200

export function arbitrarySchedule(
  channel: ChannelKind,
  nodes: number,
  aim: Aim = {},
): fc.Arbitrary<Schedule> {
  const wall = channel === "keyed" ? WALL_SKEW_MS : WALL_ERROR_MS
  const clock = fc.record({
    monotonicMs: fc.integer({ min: -100_000, max: 100_000 }),
    wallMs: fc.integer({ min: 0, max: wall }),
  })
  return fc.record({
    setup: fc.record({
      channel: fc.constant(channel),
      isRoomy: aim.isRoomy === undefined ? fc.boolean() : fc.constant(aim.isRoomy),
      faults: (aim.faults === undefined ? fc.subarray([...FAULTS]) : fc.constant(aim.faults)).map(
        (faults): readonly Fault[] => [...faults, ...(aim.rare ?? [])],
      ),
      touched: aim.touched === undefined ? fc.subarray([...TOUCHABLE]) : fc.constant(aim.touched),
      prelude: fc.nat(LONGEST_PRELUDE),
      clocks: fc.array(clock, { minLength: nodes, maxLength: nodes }),
    }),
    choices: fc.array(fc.nat(0xffff), { maxLength: MOST_CHOICES, size: "max" }),
  })
}

/** Plays a schedule to its end. Undefined: no harm was done. */
export function play(
  { setup, choices }: Schedule,
  without: ReadonlySet<Safeguard>,
  story?: string[],
): Harm | undefined {
  const world = createWorld(setup, without, story)
  for (let count = 0; count < setup.prelude; count += 1) runStretch(world, true)
  for (const choice of choices) {
    if (isSettled(world)) break
    const moves = [...listFairMoves(world), ...listFaults(world), ...listStretches(world)]
    choose(moves, choice).perform()
    tidy(world)
  }
  drain(world)
  return findHarm(world)
}

/** Stretches without faults, for whoever is not paused: a short one ends where a taking or a driver gets on. */
function listStretches(world: World): Move[] {
  return [toMove(12, () => runStretch(world, true)), toMove(4, () => runStretch(world, false))]
}

function runStretch(world: World, isShort: boolean): void {
  const before = listProgress(world)
  for (let round = 0; round < STRETCH_ROUNDS; round += 1) {
    runFairly(world, round)
    if (isShort && hasProgressed(world, before)) return
  }
}

/** What nodes take, and their drivers by stage, in one list: it is compared after each move, which is most of all calls. */
function listProgress({ nodes }: World): unknown[] {
  const progress: unknown[] = []
  for (const { drivers, taking } of nodes) {
    progress.push(taking?.id)
    for (const { id, stage } of drivers) progress.push(id, stage.kind)
  }
  return progress
}

/** Whether `listProgress` would list something else, without listing it. */
function hasProgressed({ nodes }: World, before: readonly unknown[]): boolean {
  let at = 0
  for (const { drivers, taking } of nodes) {
    if (before[at] !== taking?.id) return true
    at += 1
    for (const { id, stage } of drivers) {
      if (before[at] !== id || before[at + 1] !== stage.kind) return true
      at += 2
    }
  }
  return at !== before.length
}

function choose(moves: readonly Move[], choice: number): Move {
  const total = moves.reduce((sum, { weight }) => sum + weight, 0)
  let left = choice % total
  for (const move of moves) {
    left -= move.weight
    if (left < 0) return move
  }
  throw new RangeError("time can always pass")
}
