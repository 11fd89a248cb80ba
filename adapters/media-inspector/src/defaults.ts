/** Every number of the inspector, each with its reason; `MediaInspectorOptions` names what a host may set. */
export const DEFAULTS = {
  /** Measuring takes milliseconds of a processor, most of which is waiting for bytes. */
  processes: 2,
  /** Node and the parsers take 100 MB; 500 MB of MP3, read through, were seen to take 440. */
  memoryBytes: 512 * 1024 * 1024,
  /** An hour of MP3, which has no index and is read through, takes a second. */
  inspectMs: 10_000,
  /** For a process to start and load what it needs: a second on an idle machine. */
  startMs: 60_000,
} as const
