/**
 * What is reserved for a task, which is also the most that it is charged. Submissions and quotes are priced
 * here and nowhere else, so that they can't differ.
 */
import {
  chargeOf,
  currentPrices,
  MAX_CHARGE_MICROS,
  toPriceVersion,
  type LoggedParameters,
  type Model,
  type ParameterValues,
  type Rejection,
  type SubmitRequest,
  type Usage,
} from "@safelight/core"
import type { Ports } from "../host/ports.ts"

export interface Reservation {
  /** The parameters that go into the log: a price has factors by them alone. */
  readonly logged: LoggedParameters
  readonly priceVersion: string
  readonly reservationMicros: number
  /** What it is the price of: the most that the task may use up. */
  readonly usage: Usage
}

/** By the current table. Throws a RangeError if the model estimates more than any task may cost. */
export function toReservation(
  { prices }: Pick<Ports, "prices">,
  model: Model,
  parameters: ParameterValues,
): Reservation {
  const priceVersion = toPriceVersion(currentPrices(prices), model.id)
  const usage = model.estimate(parameters)
  const logged = model.toLogged(parameters)
  const reservationMicros = chargeOf(model, prices, { priceVersion, parameters: logged }, usage)
  if (reservationMicros >= MAX_CHARGE_MICROS) {
    throw new RangeError(`a task of ${model.id} costs more than a task may`)
  }
  return { logged, priceVersion, reservationMicros, usage }
}

/**
 * Why a task at this price is not what the caller agreed to. Written so that a limit which is no number
 * refuses everything.
 */
export function findCostRefusal(
  { maxCostMicros = Infinity, quote }: Pick<SubmitRequest, "maxCostMicros" | "quote">,
  { priceVersion, reservationMicros: costMicros }: Reservation,
  now: number,
): Rejection | undefined {
  if (quote !== undefined) {
    const isValid = quote.priceVersion === priceVersion && now < quote.validUntil
    if (!isValid) return { code: "quote-expired" }
  }
  const limits = [maxCostMicros, quote?.maxCostMicros ?? Infinity]
  const exceeded = limits.find((limit) => !(costMicros <= limit))
  if (exceeded === undefined) return undefined
  return { code: "max-cost-exceeded", costMicros, maxCostMicros: exceeded }
}
