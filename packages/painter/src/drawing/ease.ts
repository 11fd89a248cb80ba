/** Transitions from 0 to 1 that begin and end at rest. */

/** `share` lies between 0 and 1. */
export function ease(share: number): number {
  return share * share * (3 - 2 * share)
}

/** 0 below `low`, 1 above `high`, eased between. */
export function smoothStep(low: number, high: number, value: number): number {
  return ease(Math.min(Math.max((value - low) / (high - low), 0), 1))
}
