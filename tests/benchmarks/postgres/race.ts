/**
 * Contenders in turns, round by round, each for the same time: what the machine does meanwhile falls
 * on all of them alike. Rates are compared within a round and the middle of those ratios counts; the
 * first round warms up and is dropped. Every turn begins right after a checkpoint, so that nobody
 * writes back what the one before has made dirty.
 */
import { median } from "../measure.ts"
import type { Database } from "./database.ts"
import type { Scale } from "./scale.ts"

export interface Contender {
  /** Does one unit of work; resolves once it is durable. */
  work(): Promise<unknown>
  /** Tasks that one unit of work stands for; 1 by default. */
  readonly tasksPerUnit?: number
  /** Units on their way at once, where not each task is one. */
  readonly callers?: number
  /** Resolves once nothing is left behind; its time counts. */
  settle?(): Promise<void>
}

export interface RaceOptions<Name extends string> {
  /** Undefined where one can't run here: its rates are then null. */
  readonly contenders: Readonly<Record<Name, Contender | undefined>>
  /** Tasks on their way at once. */
  readonly inFlight: number
  readonly scale: Scale
  /** Any database of the server. */
  readonly database: Database
}

/** Tasks per second of each contender, in every round. */
export type Rounds<Name extends string> = readonly Readonly<Record<Name, number | null>>[]

export async function race<Name extends string>(options: RaceOptions<Name>): Promise<Rounds<Name>> {
  const { contenders, database, inFlight, scale } = options
  const names = Object.keys(contenders) as Name[]
  const rounds: Record<Name, number | null>[] = []
  for (let round = 0; round <= scale.rounds; round += 1) {
    const rates: (readonly [Name, number | null])[] = []
    for (const name of names) {
      await database.query("checkpoint")
      const contender = contenders[name]
      const rate = contender && (await ratePerSecond(contender, inFlight, scale.roundMs))
      rates.push([name, rate ?? null])
    }
    if (round > 0) rounds.push(Object.fromEntries(rates) as Record<Name, number | null>)
  }
  return rounds
}

/** Null where `name` did not run. */
export function medianOf<Name extends string>(rounds: Rounds<Name>, name: Name): number | null {
  return middle(rounds.map((round) => round[name]))
}

/** The middle of `name`'s rates over those of `other`, round by round; null where one did not run. */
export function ratioOf<Name extends string>(
  rounds: Rounds<Name>,
  name: Name,
  other: Name,
): number | null {
  return middle(rounds.map((round) => divide(round[name], round[other])))
}

function divide(rate: number | null, other: number | null): number | null {
  return rate === null || other === null ? null : rate / other
}

function middle(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null)
  return measured.length === 0 ? null : median(measured)
}

async function ratePerSecond(
  { callers, settle, tasksPerUnit = 1, work }: Contender,
  inFlight: number,
  durationMs: number,
): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  const loop = async (): Promise<void> => {
    while (performance.now() - startedAt < durationMs) {
      await work()
      done += tasksPerUnit
    }
  }
  await Promise.all(Array.from({ length: callers ?? inFlight }, loop))
  await settle?.()
  return (done / (performance.now() - startedAt)) * 1000
}
