/** An operator's change, for tests of where it is recorded. */
import type { OperatorChange } from "@safelight/core"

export function toOperatorChange(change: Partial<OperatorChange> = {}): OperatorChange {
  return {
    id: "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081",
    at: 1_767_225_600_000,
    changedBy: "0123456789",
    change: "key-revoked",
    target: "abcdefghij",
    account: "acme",
    details: {},
    ...change,
  }
}
