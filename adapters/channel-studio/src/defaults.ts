/** Every number the studio works with unless its options say otherwise, each with its reason. */
export const DEFAULTS = {
  name: "studio",
  /** Tasks in hand; they queue for the workers, and a queued one holds only its parameters. */
  concurrency: 64,
  /** The operation follows from the upstream key alone, so any time would do: a year. */
  keyTtlMs: 31_536_000_000,
  /** Only an `at-once` request makes `submit` wait, and it gives up waiting before this. */
  submitTimeoutMs: 30_000,
  /** How long `submit` waits for an immediate result before it says `accepted` instead. */
  immediateWaitMs: 20_000,
  /** One poll waits at most this long for news: under the idle time-out of anything between. */
  pollWaitMs: 15_000,
  /** Between polls of a rendering: progress is worth showing a few times a second. */
  pollAfterMs: 250,
  /** Between polls of a stalled task, which has no news ever. */
  stalledPollAfterMs: 10_000,
  /** Finished renderings kept until they are collected; one evicted is rendered again. */
  keptRenderings: 64,
  keptBytes: 512 * 1024 * 1024,
  /** Requests beside those in a worker that may hold their media; each up to `requestBytes`. */
  waitingWithMedia: 2,
  /** Bounds on what one request may refer to, in bytes. */
  media: {
    imageBytes: 20 * 1024 * 1024,
    videoBytes: 200 * 1024 * 1024,
    audioBytes: 200 * 1024 * 1024,
    /** All references of one request together. */
    requestBytes: 512 * 1024 * 1024,
  },
  /** Whether `[studio: …]` in a prompt is obeyed; without it, it is prompt text. */
  sandbox: true,
} as const
