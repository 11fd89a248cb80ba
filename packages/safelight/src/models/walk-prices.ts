/**
 * Every combination of what the price of a model depends on, with what it would be quoted and what it costs upstream.
 * Nothing is submitted. What is asked for beside that comes from samples of the parameters.
 */
import {
  chargeUsage,
  findMisfit,
  toBilledCost,
  toCostFigure,
  type LoggedParameters,
  type Model,
  type ModelPrice,
  type ParameterValues,
  type UnitCost,
  type Upstream,
  type Usage,
} from "@safelight/core"
import { describeParameters } from "@safelight/http"
import { findPossibleValues, type PossibleValues, type Scalar } from "./factor-values.ts"
import { toLongestSample, toSamples } from "./sample-parameters.ts"

/** What a request would be quoted. */
export interface PricedCase {
  /** As they would be logged, defaults applied. */
  readonly logged: LoggedParameters
  readonly usage: Usage
  readonly quoteMicros: number
}

export interface KnownCost {
  /** The channel or the provider that charges it. */
  readonly by: string
  readonly cost: UnitCost
  /** What it takes; anything by default. */
  readonly takes?: Pick<Upstream, "accepts"> | undefined
}

/** A cost above the price: the worst of the combinations for which it is. */
export interface Loss {
  readonly by: string
  readonly combinations: number
  readonly worst: PricedCase
  readonly costMicros: number
}

export interface PriceWalk {
  /** What the price depends on, or a cost. */
  readonly parameters: readonly string[]
  readonly combinations: number
  /** Not all of them if there are too many. */
  readonly walked: number
  /** Undefined if no sample of the parameters is valid, as of a text with a pattern. */
  readonly cheapest: PricedCase | undefined
  readonly dearest: PricedCase | undefined
  readonly losses: readonly Loss[]
}

/** Above it a model takes longer than a person waits for. */
const MOST_COMBINATIONS = 20_000
/** Of one range of whole numbers: its ends are the cheapest and the dearest beyond that. */
const MOST_NUMBERS = 40

/** `undefined` is a parameter that is left out. */
type Candidates = readonly (Scalar | undefined)[]

export function walkPrices(
  model: Model,
  price: ModelPrice,
  costs: readonly KnownCost[],
): PriceWalk {
  const described = describeParameters(model)
  const samples = [...toSamples(described), toLongestSample(described)]
  const bases = samples.filter((sample) => model.check(sample).kind === "valid")
  const factored = [price, ...costs.map(({ cost }) => cost)].flatMap(({ factors = {} }) =>
    Object.keys(factors),
  )
  const candidates = listCandidates(model, { bases, described, factored })
  const parameters = [...candidates.keys()]
  const each = [...candidates.values()].reduce((count, values) => count * values.length, 1)
  const isAll = each * bases.length <= MOST_COMBINATIONS
  const cases = bases.flatMap((base) => {
    const priced = (asked: Asked): readonly PricedCase[] => toCase(model, price, base, asked)
    return isAll ? combine(candidates).flatMap(priced) : walkApart(candidates, priced)
  })
  const ordered = cases.toSorted((one, other) => one.quoteMicros - other.quoteMicros)
  return {
    parameters,
    combinations: each,
    walked: isAll ? each : Math.min(each, countApart(candidates)),
    cheapest: ordered[0],
    dearest: ordered.at(-1),
    losses: costs.flatMap((known) => findLoss(model, known, { cases, parameters })),
  }
}

type Asked = Readonly<Record<string, Scalar | undefined>>

interface Dependence {
  readonly described: ReturnType<typeof describeParameters>
  readonly bases: readonly ParameterValues[]
  /** Parameters that have factors. */
  readonly factored: readonly string[]
}

/** Those that have a factor, or that change what is used up. */
function listCandidates(
  model: Model,
  { bases, described, factored }: Dependence,
): ReadonlyMap<string, Candidates> {
  const all = model.logged.flatMap((name) => {
    const possible = findPossibleValues(described, name)
    return possible === undefined ? [] : [[name, toCandidates(possible)] as const]
  })
  return new Map(
    all.filter(([name, values]) => {
      if (values.length === 0) return false
      return factored.includes(name) || bases.some((base) => changes(model, base, name, values))
    }),
  )
}

function toCandidates({ listed, mayBeAbsent, ranges }: PossibleValues): Candidates {
  const isLong = listed.length > MOST_NUMBERS && listed.every(Number.isSafeInteger)
  const ends = isLong ? [listed[0], listed.at(-1)] : listed
  return [...ends, ...ranges.flatMap(({ max, min }) => [min, max]), ...absent(mayBeAbsent)]
}

const absent = (mayBe: boolean): Candidates => (mayBe ? [undefined] : [])

function changes(model: Model, base: ParameterValues, name: string, values: Candidates): boolean {
  const usages = values.flatMap((value) => {
    const checked = model.check(withAsked(base, { [name]: value }))
    return checked.kind === "valid" ? [JSON.stringify(model.estimate(checked.parameters))] : []
  })
  return new Set(usages).size > 1
}

function combine(candidates: ReadonlyMap<string, Candidates>): readonly Asked[] {
  return [...candidates].reduce<readonly Asked[]>(
    (made, [name, values]) =>
      made.flatMap((asked) => values.map((value) => ({ ...asked, [name]: value }))),
    [{}],
  )
}

/**
 * Each value by itself, then the cheapest and the dearest of each together. A price is a product of its factors, so
 * that one that has a factor for each value has one for every combination, and its ends are those of its factors.
 */
function walkApart(
  candidates: ReadonlyMap<string, Candidates>,
  priced: (asked: Asked) => readonly PricedCase[],
): readonly PricedCase[] {
  const apart = [...candidates].map(([name, values]) => ({
    name,
    cases: values.flatMap((value) => priced({ [name]: value }).map((found) => ({ found, value }))),
  }))
  const pick = (place: 0 | -1): Asked =>
    Object.fromEntries(
      apart.map(({ cases, name }) => {
        const ordered = cases.toSorted((a, b) => a.found.quoteMicros - b.found.quoteMicros)
        return [name, ordered.at(place)?.value]
      }),
    )
  const single = apart.flatMap(({ cases }) => cases.map(({ found }) => found))
  return [...single, ...priced(pick(0)), ...priced(pick(-1))]
}

function countApart(candidates: ReadonlyMap<string, Candidates>): number {
  return [...candidates.values()].reduce((count, values) => count + values.length, 2)
}

/** None if the model does not take the combination, or the price lacks one of its factors. */
function toCase(
  model: Model,
  price: ModelPrice,
  base: ParameterValues,
  asked: Asked,
): readonly PricedCase[] {
  const checked = model.check(withAsked(base, asked))
  if (checked.kind === "invalid") return []
  const logged = model.toLogged(checked.parameters)
  const usage = model.estimate(checked.parameters)
  try {
    const quoteMicros = chargeUsage(usage, price, logged)
    return [{ logged, usage, quoteMicros }]
  } catch (error) {
    // Its faults are told by themselves.
    if (error instanceof RangeError) return []
    throw error
  }
}

function withAsked(base: ParameterValues, asked: Asked): ParameterValues {
  const others = Object.entries(base).filter(([name]) => !Object.hasOwn(asked, name))
  return Object.fromEntries([...others, ...Object.entries(listPresent(asked))])
}

function listPresent(asked: Asked): LoggedParameters {
  const present = Object.entries(asked).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(present)
}

function findLoss(
  model: Model,
  { by, cost, takes = {} }: KnownCost,
  { cases, parameters }: { readonly cases: readonly PricedCase[] } & Pick<PriceWalk, "parameters">,
): readonly Loss[] {
  const losing = cases.flatMap((each) => {
    const { logged, usage } = each
    if (findMisfit({ accepts: takes.accepts ?? {} }, logged) !== undefined) return []
    const figure = toCostFigure(
      toBilledCost(model, cost, { told: undefined, usage, parameters: logged }),
    )
    return figure.micros > each.quoteMicros ? [{ worst: each, costMicros: figure.micros }] : []
  })
  const loss = ({ costMicros, worst }: (typeof losing)[number]): number =>
    costMicros - worst.quoteMicros
  const [first, ...others] = losing
  if (first === undefined) return []
  const worst = others.reduce((most, each) => (loss(each) > loss(most) ? each : most), first)
  const combinations = new Set(
    losing.map(({ worst: { logged } }) => JSON.stringify(parameters.map((name) => logged[name]))),
  ).size
  return [{ by, combinations, ...worst }]
}
