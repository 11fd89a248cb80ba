/** Why a proof is not believed: a value, never thrown. Decide by `code`; `reason` is for people. */
export interface ProofFault {
  readonly code: ProofFaultCode
  readonly reason: string
  /** The first event that is not as it should be, from 1; null if it is not one event's. */
  readonly event: number | null
}

/** As `safelight audit check --json` names them. */
export type ProofFaultCode =
  /** It is not written as its format says. */
  | "malformed"
  /** It is longer than a proof of a task is. */
  | "too-large"
  /** No key that is trusted has signed the checkpoint. */
  | "unsigned"
  /** The checkpoint has a signature in the name of a trusted key that this key did not make. */
  | "forged"
  /** The checkpoint is of another log. */
  | "other-log"
  /** The proof is of another task than the one that was asked for. */
  | "other-task"
  /** An event's hash does not follow from what it says and from the event before. */
  | "broken-chain"
  /** An event is not in the tree that was signed. */
  | "not-included"

export function toFault(
  code: ProofFaultCode,
  reason: string,
  event: number | null = null,
): ProofFault {
  return { code, reason, event }
}

/** Tells a fault from what was read. */
export function isFault(value: object): value is ProofFault {
  return "code" in value && "reason" in value
}
