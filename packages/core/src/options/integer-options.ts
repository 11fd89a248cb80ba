/**
 * Options of a factory that are integers within bounds. A wrong one is named, and its value is not
 * repeated. An option that is undefined is one that was not given.
 */
import { SafelightError } from "../errors/safelight-error.ts"

/** Both included; `Number.MAX_SAFE_INTEGER` is no bound in an error's words. */
export type IntegerBounds = readonly [least: number, most: number]

/** A count, a size or a duration of which there has to be some. */
export const POSITIVE: IntegerBounds = [1, Number.MAX_SAFE_INTEGER]

/** The longest wait of a timer, which holds a signed 32-bit count. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface IntegerOptions<Name extends string> {
  readonly bounds: Readonly<Record<Name, IntegerBounds>>
  readonly defaults: Readonly<Record<NoInfer<Name>, number>>
  readonly options: Readonly<Partial<Record<NoInfer<Name>, number | undefined>>>
  /** What an error says before the option's name. */
  readonly prefix?: string
}

/** The options that `bounds` names, with their defaults. Throws `invalid-configuration`. */
export function takeIntegers<Name extends string>({
  bounds,
  defaults,
  options,
  prefix = "",
}: IntegerOptions<Name>): Record<Name, number> {
  const names = Object.keys(bounds) as Name[]
  const taken = names.map((name) => {
    const value = options[name] ?? defaults[name]
    const [least, most] = bounds[name]
    if (Number.isSafeInteger(value) && value >= least && value <= most)
      return [name, value] as const
    const message = `${prefix}${name} must be ${toRange(bounds[name])}`
    throw new SafelightError({ code: "invalid-configuration", message })
  })
  return Object.fromEntries(taken) as Record<Name, number>
}

function toRange([least, most]: IntegerBounds): string {
  if (most < Number.MAX_SAFE_INTEGER) return `an integer from ${least} to ${most}`
  return least === 1 ? "a positive integer" : `an integer of ${least} or more`
}
