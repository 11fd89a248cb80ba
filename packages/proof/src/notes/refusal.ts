/**
 * Why a text that came from outside is not believed, or a tree not signed: a value, never thrown. Decide by `code`;
 * `reason` is for people.
 */
export interface Refusal {
  readonly code: RefusalCode
  readonly reason: string
}

export type RefusalCode =
  /** It is not written as its format says. */
  | "malformed"
  /** It is longer, or has more signatures, than this package reads. */
  | "too-large"
  /** No key that is trusted has signed it. */
  | "unsigned"
  /** It has a signature in the name of a trusted key that this key did not make. */
  | "forged"
  /** It is of another log. */
  | "other-log"
  /** There is no tree over the log yet. */
  | "no-tree"
  /** The log's key has signed more events than the tree has. */
  | "shorter-tree"
  /** The log's key has signed other events than the tree has. */
  | "other-tree"
  /** An event's hash does not follow from what it says and from the event before. */
  | "broken-chain"
  /** The proof does not lead from an event to the signed root. */
  | "not-included"

export function refuse(code: RefusalCode, reason: string): Refusal {
  return { code, reason }
}

/** Tells a refusal from what was read. */
export function isRefusal(value: object): value is Refusal {
  return "code" in value && "reason" in value
}
