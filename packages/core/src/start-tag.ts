/**
 * Start-time fair queueing: tasks that wait start in the order of their start tags, and the tags of one
 * account are spaced by its weight. So an account's own tasks wait behind each other, and the first task of
 * another account comes next.
 */

/** The step at weight 1; an integer for every weight up to 1,000. */
const STEP = 1_000

/** The start tag behind an account's `last` one, an integer; 0 for its first task. */
export function nextStartTag(last: number | undefined, weight: number): number {
  return last === undefined ? 0 : last + Math.max(1, Math.round(STEP / weight))
}
