/**
 * Which parts of a tree a proof consists of: the definitions PATH and SUBPROOF of RFC 6962 §2.1.1 and §2.1.2, as
 * ranges of leaves. Numbers are not shifted: a tree may have more leaves than 32 bits count.
 */

/** Leaves `start` to `end`, the last not included. */
export interface LeafRange {
  readonly start: number
  readonly end: number
}

/** The largest power of two that is smaller than `count`, from 2 on. */
function splitAt(count: number): number {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

/** What an inclusion proof hashes, from the leaf's neighbour up to below the root; `index` is below `size`. */
export function listInclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitAt(end - start)
    if (index < middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  return ranges.toReversed()
}

/** What a consistency proof hashes, in its order; `first` is from 1 to `second`. */
export function listConsistencyRanges(first: number, second: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let [start, end] = [0, second]
  let isFirstRoot = true
  while (first !== end) {
    const middle = start + splitAt(end - start)
    if (first <= middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
      isFirstRoot = false
    }
  }
  // The root of the first tree is known to whoever checks the proof.
  if (!isFirstRoot) ranges.push({ start, end })
  return ranges.toReversed()
}

/** A node whose leaves are all there: 2^`height` of them, from `index` · 2^`height` on. */
export interface Subtree {
  readonly height: number
  readonly index: number
}

/** The full subtrees of which a range of a proof consists, largest first. */
export function listSubtrees({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = []
  for (let from = start; from < end;) {
    let [leaves, height] = [1, 0]
    while (from % (leaves * 2) === 0 && leaves * 2 <= end - from) {
      leaves *= 2
      height += 1
    }
    subtrees.push({ height, index: from / leaves })
    from += leaves
  }
  return subtrees
}
