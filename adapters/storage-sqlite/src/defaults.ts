/** Settings that need no change, each with its reason. */
export const DEFAULTS = {
  /** Another command may write next to the service, never for long. */
  busyTimeoutMs: 5_000,
  /** 32 MB of log between checkpoints: a 99th percentile of 2.9 ms against 6.1 with the default. */
  checkpointPages: 8_000,
  /** Twice that: the log's file is cut to it, and long reads wait for a log that is longer. */
  maxLogBytes: 67_108_864,
} as const
