/**
 * The limits of an account that is made without limits of its own: by the first start, `keys create` or
 * `accounts set`. They are written to the account when it is made, so a later change changes no existing
 * account. `none` is no limit.
 */
import { availableParallelism } from "node:os"
import { fields, NO_LIMITS, type AccountSettings, type Rate } from "@safelight/core"
import * as v from "valibot"
import { parseRate, RATE_FORM } from "../text/rate.ts"

export type AccountDefaults = Pick<
  AccountSettings,
  "budgetMicros" | "rates" | "runningTasks" | "unfinishedTasks" | "weight"
>

export const ACCOUNT_DEFAULTS: AccountDefaults = {
  /** Only the operator knows what an amount of money means. */
  budgetMicros: null,
  rates: {
    // Two tasks a second: more than a person or a page asks for, little enough to be stopped in time.
    create: { requests: 120, windowMs: 60_000 },
    // Twenty a second: enough to poll all unfinished tasks every five seconds.
    read: { requests: 1_200, windowMs: 60_000 },
    content: { requests: 1_200, windowMs: 60_000 },
  },
  // As many as this machine's studio renders at once, and one more whose media are fetched meanwhile. The
  // studio takes three more, so that one account can't fill it.
  runningTasks: Math.max(2, availableParallelism()),
  // Requests are stored: with 64 MiB each this is 6 GB of disk.
  unfinishedTasks: 100,
  weight: NO_LIMITS.weight,
}

const rate = v.pipe(
  v.string(`expected ${RATE_FORM}, or "none"`),
  v.rawTransform(({ dataset, addIssue, NEVER }): Rate | null => {
    if (dataset.value === "none") return null
    const parsed = parseRate(dataset.value)
    if (parsed !== undefined) return parsed
    addIssue({ message: `expected ${RATE_FORM}, or "none"` })
    return NEVER
  }),
)

function limit(min: number, max: number): v.GenericSchema<number | "none", number | null> {
  const message = `expected a whole number from ${min} to ${max}, or "none"`
  const isWithin = (value: unknown): boolean =>
    value === "none" ||
    (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max)
  return v.pipe(
    v.custom<number | "none">(isWithin, message),
    v.transform((value) => (value === "none" ? null : value)),
  )
}

const weightMessage = "expected a whole number from 1 to 1000"

/** `accounts.defaults` of the configuration file, laid over the defaults above. */
export const accountDefaultsSchema = v.pipe(
  fields({
    createRate: v.exactOptional(rate),
    readRate: v.exactOptional(rate),
    contentRate: v.exactOptional(rate),
    unfinishedTasks: v.exactOptional(limit(1, 1_000_000)),
    runningTasks: v.exactOptional(limit(1, 1_000_000)),
    budgetMicros: v.exactOptional(limit(0, Number.MAX_SAFE_INTEGER)),
    weight: v.exactOptional(
      v.pipe(
        v.number(weightMessage),
        v.integer(weightMessage),
        v.minValue(1, weightMessage),
        v.maxValue(1_000, weightMessage),
      ),
    ),
  }),
  v.transform(({ createRate, readRate, contentRate, ...given }): AccountDefaults => {
    const { rates } = ACCOUNT_DEFAULTS
    return {
      ...ACCOUNT_DEFAULTS,
      ...given,
      rates: {
        create: createRate === undefined ? rates.create : createRate,
        read: readRate === undefined ? rates.read : readRate,
        content: contentRate === undefined ? rates.content : contentRate,
      },
    }
  }),
)
