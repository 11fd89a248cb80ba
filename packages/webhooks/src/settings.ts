/** Every number that a host may change, each with its reason. */
import { LONGEST_TIMER_MS, POSITIVE, withDefaults, type Settings } from "@safelight/core"

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export const DEFAULTS = {
  /** Enough for production, staging and a few tools; each costs a row for every event. */
  endpointsPerAccount: 10,
  /** What Standard Webhooks recommends: 15 to 30 s. */
  timeoutMs: 15 * SECOND_MS,
  /** Of an answer's body: it is read for the log alone. */
  answerBytes: 16 * 1024,
  /** Of that, what the log keeps. */
  answerCharacters: 2_048,
  /** How many messages are sent at a time to endpoints that took the last one. */
  sendsToProven: 512,
  /** And to all others, so that dead ones never take the permits of the living. */
  sendsToOthers: 256,
  /** Of both together to the endpoints of one account, so that four that are slow leave room for others. */
  sendsPerAccount: 128,
  /**
   * To one endpoint that takes them, to any other one at a time. Each waits for two commits too: with 16 a fast
   * receiver got 460 a second.
   */
  sendsPerEndpoint: 64,
  /**
   * To one host at a time, by all accounts together: an account names other people's hosts too. Endpoints that have
   * not taken a message share half of them. A message counts until it is answered, not until that is recorded, so
   * that a fast receiver does not wait.
   */
  sendsPerHost: 8,
  /**
   * How many messages may wait for one endpoint; notices of expiry don't count. What comes beyond is given up at
   * once, and may be replayed.
   */
  waitingPerEndpoint: 10_000,
  /** How long a try may take, with recording it, before another node makes it too: twice the most it needs. */
  leaseMs: MINUTE_MS,
  /** How often feeds and deliveries are looked at if nothing says that there are new ones. */
  pollMs: SECOND_MS,
  /** How long an endpoint may fail before it is disabled, as with Svix. */
  disableAfterMs: 5 * DAY_MS,
  /** For how long of that the message that fails must have been tried: the first tries meet restarts too. */
  disableAfterTryingMs: DAY_MS,
  /** How long a delivery that is over stays in the log. */
  keptMs: 30 * DAY_MS,
  /** How long before the last artifact expires the notice is sent. */
  noticeMs: DAY_MS,
} as const

export type WebhookSettings = Settings<typeof DEFAULTS>

/** The defaults with a host's own numbers. Throws `invalid-configuration`, naming the setting. */
export function toSettings(given?: Partial<WebhookSettings>): WebhookSettings {
  return withDefaults(DEFAULTS, given, "of webhooks", {
    timeoutMs: [1, LONGEST_TIMER_MS],
    pollMs: [1, LONGEST_TIMER_MS],
    sendsToProven: POSITIVE,
    sendsPerAccount: POSITIVE,
    sendsPerHost: POSITIVE,
    waitingPerEndpoint: POSITIVE,
  })
}
