/**
 * Defaults of the options. The age of a stale file is measured from its last write: a body may take longer
 * than this as a whole, but may not pause for so long.
 */
export const DEFAULTS = {
  /** 24 h: as long as orphans of a finished task stay (design §7), far beyond any time-out. */
  staleAfterMs: 24 * 60 * 60 * 1000,
} as const
