/**
 * `providerOptions.safelight`. An unknown member is refused: a misspelt limit of cost would limit nothing.
 */
import {
  InvalidArgumentError,
  type JSONObject,
  type SharedV4ProviderOptions,
} from "@ai-sdk/provider"

/** A type and no interface, so that it fits the SDK's type of JSON. */
export type SafelightOptions = {
  /** The model's own parameters. They win over those made of the SDK's options. */
  readonly parameters?: JSONObject
  /** To find the tasks by, and to add up what they cost. */
  readonly labels?: Record<string, string>
  /** Micro-units: a task that could be charged more is refused. A call may make several tasks. */
  readonly maxCostMicros?: number
  /** The `quote` of a quote. */
  readonly quote?: string
  /** 1 to 240 printable ASCII characters. The same call with the same key buys nothing again, for 14 days. */
  readonly idempotencyKey?: string
}

const isText = (value: unknown): boolean => typeof value === "string"
const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const CHECKS: Readonly<
  Record<keyof SafelightOptions, readonly [words: string, isRight: (value: unknown) => boolean]>
> = {
  parameters: ["an object", isObject],
  labels: [
    "an object of texts",
    (value) => isObject(value) && Object.values(value as object).every(isText),
  ],
  maxCostMicros: [
    "a whole number from 0 on",
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  ],
  quote: ["the quote of a quote", (value) => isText(value) && /^[!-~]+$/.test(value as string)],
  // Further tasks of a call have a number behind it, and the service takes 255 characters.
  idempotencyKey: [
    "1 to 240 printable ASCII characters",
    (value) => isText(value) && /^[ -~]{1,240}$/.test(value as string),
  ],
}

/** Throws `InvalidArgumentError` that names the member. */
export function readCallOptions(options: SharedV4ProviderOptions | undefined): SafelightOptions {
  const given = options?.["safelight"] ?? {}
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof SafelightOptions] : undefined
    if (check?.[1](value) === true) continue
    const words = check === undefined ? "is not known" : `expected ${check[0]}`
    throw fault(`providerOptions.safelight.${name}`, words)
  }
  return given
}

/** An `idempotency-key` among the headers of a call. Throws `InvalidArgumentError`. */
export function requireKey(key: string): void {
  const [words, isRight] = CHECKS.idempotencyKey
  if (!isRight(key)) throw fault("headers.idempotency-key", `expected ${words}`)
}

function fault(argument: string, words: string): InvalidArgumentError {
  return new InvalidArgumentError({ argument, message: `${argument}: ${words}` })
}
