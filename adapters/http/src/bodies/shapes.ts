/** The parts that many bodies have. */
import * as v from "valibot"
import { described } from "./body.ts"

/** A whole number from 0 on: seconds, milliseconds, micro-units or a count, as the member's name says. */
export const whole = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Of whole seconds. */
export const unixTime = described(whole, "Unix time in seconds.")

export const unixMs = described(whole, "Unix milliseconds.")

export const taskId = v.pipe(v.string(), v.uuid())

export const EXAMPLE_ID = "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081"

export const currency = v.optional(
  described(
    v.string(),
    "What the amounts are in, as the service's operator calls it; absent if it has no name.",
  ),
)
