/**
 * The mark of a storage of artifacts as it is kept: one line of visible ASCII, the same in a folder and in
 * a bucket, so that a copy of one into the other keeps it.
 */

/** With the line break. */
export const MOST_MARK_BYTES = 101

/** The mark in a line that was stored; undefined if it is no mark. */
export function parseMarkLine(line: string): string | undefined {
  return /^([\x21-\x7e]{1,100})\n$/.exec(line)?.[1]
}
