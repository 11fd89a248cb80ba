/**
 * Every number that a host may change, each with its reason.
 * Durations are milliseconds and sizes bytes, as the names say.
 */
import { withDefaults, type Settings } from "@safelight/core"

export const DEFAULTS = {
  /** One request body: three 20 MiB images as data URLs, and room. */
  bodyBytes: 64 * 1024 * 1024,
  /**
   * All request bodies held at once; one more is refused as overloaded. One account may hold a quarter,
   * or one largest body if that is more.
   */
  bodiesInFlightBytes: 512 * 1024 * 1024,
  /** Large bodies that are worked on at a time; each takes about ten times its size until it is stored. */
  bodiesAtWorkBytes: 128 * 1024 * 1024,
  /** A body that stands still for so long is refused; the speed of large ones is checked as often. */
  bodyPaceMs: 10_000,
  /** The slowest that a large body may be: as fast as the slowest mobile networks. */
  bodyBytesPerSecond: 50_000,
  /** A larger body is read in a thread: about 10 ms of work, above which polls would feel it. */
  largeBodyBytes: 1024 * 1024,
  /** Threads of a server for large bodies: the largest takes one for half a second. */
  bodyThreads: 2,
  /** Forty times what the largest takes: a body that takes longer never ends. Its thread is ended. */
  bodyThreadMs: 20_000,
  /** They end after so long without work, since only then their memory goes back to the system. */
  bodyThreadRestMs: 10_000,
  /** One body of a provider's callback: with a result in it some hundred kilobytes at most. */
  callbackBytes: 1024 * 1024,
  /** All of them at once, apart from the bodies of callers. */
  callbacksInFlightBytes: 16 * 1024 * 1024,
  /** One message of an agent: an image of 3 MB as a data URL; a larger one is sent by its address. */
  messageBytes: 4 * 1024 * 1024,
  /** All of them at once, apart from the bodies of creations. */
  messagesInFlightBytes: 32 * 1024 * 1024,
  /** One form with files, which is read on the event loop: a larger image is sent by its address. */
  formBytes: 16 * 1024 * 1024,
  /** All of them at once, apart from other bodies. Of larger ones than `largeBodyBytes` two are worked on at a time. */
  formsInFlightBytes: 64 * 1024 * 1024,
  /** RFC 9110 §4.1 asks for at least 8,000. */
  urlCharacters: 8_192,
  /** Requests for inputs that may wait; one more is refused as overloaded. */
  inputsWaiting: 1_000,
  /** Requests that wait for the end of a task; one more is answered at once. Each takes some 10 KiB. */
  waits: 4_000,
  /** Of one account among them. */
  accountWaits: 400,
  /** Answers of finished tasks remembered, about 0.5 KiB each; at most twice as many. */
  cachedTasks: 10_000,

  /** Streams open at once. An idle one takes about 20 KiB. */
  streams: 10_000,
  /** Of one account, so that one key can't have them all. */
  streamsOfAccount: 1_000,
  /** How long a stream may be silent: below the 30 s after which some proxies close. */
  streamBeatMs: 15_000,
  /** After so long a stream is ended, and its client connects again: so load spreads over new nodes. */
  streamMs: 3_600_000,

  headersTimeoutMs: 15_000,
  requestTimeoutMs: 120_000,
  /** Above the 60 s of common load balancers, so that they close first. */
  keepAliveTimeoutMs: 75_000,
  headerBytes: 16 * 1024,
  /** Connections of one listener; one more is closed. Each takes tens of KiB while it is used. */
  connections: 20_000,
  /** How long a client may take nothing of its answer: what proxies commonly wait for. */
  stalledAnswerMs: 60_000,
  /** How long a refused upload is read on, so that its sender sees the answer and not a reset. */
  lingerMs: 2_000,
} as const

export type HttpSettings = Settings<typeof DEFAULTS>

/** The defaults with a host's own numbers. Throws `invalid-configuration`, naming the setting. */
export function toSettings(given?: Partial<HttpSettings>): HttpSettings {
  return withDefaults(DEFAULTS, given, "of HTTP")
}
