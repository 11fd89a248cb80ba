/** The client's numbers and their check. */

export const DEFAULTS = {
  /** A request that fails for a passing reason is sent this often at most. */
  tries: 5,
  /** The same for a look at a task that is waited for: a service that restarts loses nobody. */
  pollTries: 10,
  /** Before the second try; doubled before each further one. */
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  /** A refusal that asks for a longer pause is handed on instead of being waited for. */
  longestRetryAfterMs: 120_000,
  /** Between looks at a task: from the one to the other, each half as long again. */
  firstPollMs: 1_000,
  longestPollMs: 10_000,
  /** The longest silence: until an answer begins, and between any two pieces of it. */
  silenceMs: 60_000,
  /** Of an answer in JSON. */
  answerBytes: 16 * 2 ** 20,
  /** Of an artifact: far more than any model makes. */
  artifactBytes: 2 ** 30,
} as const

export type ClientSettings = { readonly [Name in keyof typeof DEFAULTS]: number }

/** Longer timers end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Throws a `TypeError` that names the setting. */
export function withDefaults(given: Partial<ClientSettings> = {}): ClientSettings {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULTS, name)) throw new TypeError(`settings: ${name} is not known`)
    const isTimer = name.endsWith("Ms")
    const isWhole = Number.isSafeInteger(value) && value >= 1
    if (isWhole && !(isTimer && value > LONGEST_TIMER_MS)) continue
    throw new TypeError(
      `settings.${name}: expected a positive integer${isTimer ? " of a timer" : ""}`,
    )
  }
  return { ...DEFAULTS, ...given }
}
