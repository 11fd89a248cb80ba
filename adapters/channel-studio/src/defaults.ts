/** Every number the studio works with unless its options say otherwise, each with its reason. */
export const DEFAULTS = {
  /** Seconds of a film whose request names none (specification §2.6 gives no default). */
  filmSeconds: 5,
  name: "studio",
  /**
   * Tasks in hand in addition to those being rendered: enough to fetch media meanwhile. They are few, so
   * that the engine's fair queue decides whose task is next, and since the parameters of each may take
   * 64 MiB.
   */
  beyondWorkers: 4,
  /** A picture of 50 megapixels at 16 bits takes 600 MB, a video file 200 MB and its frames. */
  workerMemoryBytes: 1024 * 1024 * 1024,
  /** For V8's heap of each process: pixels and files are outside of it. */
  workerHeapBytes: 512 * 1024 * 1024,
  /** To read one file: the largest picture takes three seconds, a parser in a loop takes for ever. */
  readMs: 10_000,
  /** To paint and encode, and per second of film on top: several times what it takes at 1080p. */
  paintMs: 60_000,
  paintMsPerSecond: 20_000,
  /** How often one task's processes may claim that the machine has no room where it seems to have. */
  mostClaims: 5,
  /** Tasks whose claims are counted: far more than are in hand. */
  keptClaims: 1_000,
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
  /** Finished renderings kept until they are collected; an evicted one is rendered again. */
  keptRenderings: 64,
  keptBytes: 512 * 1024 * 1024,
  /** To fetch all media of one request: 512 MiB at 14 Mbit/s. */
  loadMs: 300_000,
  /** Bounds on what one request may refer to, in bytes. */
  media: {
    imageBytes: 20 * 1024 * 1024,
    videoBytes: 200 * 1024 * 1024,
    audioBytes: 200 * 1024 * 1024,
    /** All references of one request together. */
    requestBytes: 512 * 1024 * 1024,
  },
  /** Whether `[studio: …]` in a prompt is obeyed: whoever may submit could force outcomes with it. */
  sandbox: false,
} as const
