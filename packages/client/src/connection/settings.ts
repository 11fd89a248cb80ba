/** The client's settings: their defaults and their check. */

export const DEFAULTS = {
  /** The most tries of one request, the first included. */
  tries: 5,
  /** The same for each poll of `wait`: waiting should survive a restart of the service. */
  pollTries: 10,
  /** Before the second try. Each further pause is twice as long. */
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  /** If the service asks for a longer pause, the call rejects instead of waiting. */
  longestRetryAfterMs: 120_000,
  /** Pauses between polls grow by half from the first to the longest. */
  firstPollMs: 1_000,
  longestPollMs: 10_000,
  /** A request waits at the service this long for the task's end: proxies commonly allow 30 seconds. */
  longestWaitMs: 25_000,
  /** How long an answer may take to begin, and each further piece of its body to arrive. */
  silenceMs: 60_000,
  /** The largest answer in JSON. */
  answerBytes: 16 * 2 ** 20,
  /** The largest artifact: far more than any model makes. */
  artifactBytes: 2 ** 30,
} as const

export type ClientSettings = { readonly [Name in keyof typeof DEFAULTS]: number }

/** The longest delay of `setTimeout`: a longer one fires at once. */
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
