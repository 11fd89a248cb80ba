/**
 * What holds where the host says nothing. The age of a stale file is measured from its last write,
 * so a body that takes longer than this as a whole is safe; one that stalls for so long is not.
 */
export const DEFAULTS = {
  /** 24 h: as long as orphans of a finished task stay (design §7), far beyond any time-out. */
  staleAfterMs: 24 * 60 * 60 * 1000,
} as const
