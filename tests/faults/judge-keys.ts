/**
 * The oracle's view of who may buy: nothing is accepted under a key that was revoked, or for an account that was
 * suspended, more than a second before; and nobody is refused for a reason that was not there.
 */
import type { AccountPlan } from "./accounts.ts"
import { isForgotten, type RoundFaults, type Span } from "./round-faults.ts"
import type { ToldAcceptance, ToldRefusal } from "./told.ts"

/** A key that was revoked. */
export interface ToldRevocation {
  readonly key: string
  readonly askedAt: number
  /** When that was answered; Infinity where it was not. */
  readonly at: number
}

/** An account that was suspended from `at` on until it was asked for its return. */
export interface ToldSuspension {
  readonly account: string
  readonly askedAt: number
  /** When that was answered; Infinity where it was not. */
  readonly at: number
  /** When its return was asked for; Infinity where it was not. */
  readonly endAskedAt: number
  /** When its return was answered; Infinity where it was not. */
  readonly endedAt: number
}

export interface KeyPromises {
  readonly acceptances: readonly ToldAcceptance[]
  readonly refusals: readonly ToldRefusal[]
  readonly revocations: readonly ToldRevocation[]
  readonly suspensions: readonly ToldSuspension[]
  readonly accounts: readonly AccountPlan[]
  readonly faults: RoundFaults
  readonly fail: (words: string) => void
}

/** Within a second every process obeys. */
export const OBEYED_MS = 1_000

/** What a busy machine may add on the way there and back. */
export const TOLERANCE_MS = 250

export function judgeKeys(open: KeyPromises): void {
  for (const acceptance of open.acceptances) judgeAcceptance(open, acceptance)
  for (const refusal of open.refusals) {
    const wrong = findWrong(open, refusal)
    const { account, code, key, status } = refusal
    if (wrong !== undefined)
      open.fail(`${account} was answered ${status} ${code}, ${wrong} (${key})`)
  }
}

function judgeAcceptance(
  { fail, faults, revocations, suspensions }: KeyPromises,
  { account, at, key, sentAt, task }: ToldAcceptance,
): void {
  const obeyedAt = (told: number): number => told + OBEYED_MS + TOLERANCE_MS
  const revocation = revocations.find((each) => each.key === key)
  if (revocation !== undefined && !isForgotten(faults, revocation.at)) {
    const { at: revokedAt } = revocation
    if (sentAt > obeyedAt(revokedAt)) {
      fail(`task ${task} was accepted under key ${key}, revoked ${sentAt - revokedAt} ms before`)
    }
  }
  const during = suspensions.find(
    (each) => each.account === account && sentAt > obeyedAt(each.at) && at < each.endAskedAt,
  )
  if (during !== undefined && !isForgotten(faults, during.at)) {
    fail(`task ${task} was accepted for ${account}, suspended ${sentAt - during.at} ms before`)
  }
}

/** Why the refusal was not right; undefined where it may have been. */
function findWrong(
  { accounts, faults, revocations, suspensions }: KeyPromises,
  { account, at, code, key, sentAt }: ToldRefusal,
): string | undefined {
  const settings = accounts.find(({ id }) => id === account)?.settings ?? {}
  const isForgetful = faults.forgotten.some(({ from }: Span) => at >= from)
  switch (code) {
    case "api_key_revoked":
      return revocations.some((each) => each.key === key && each.askedAt <= at)
        ? undefined
        : "and nobody revoked its key"
    case "invalid_api_key":
      // A key may have been forgotten with the rest.
      return isForgetful ? undefined : "and its key is valid"
    case "account_suspended": {
      const lasts = (each: ToldSuspension): boolean =>
        each.askedAt <= at && sentAt <= each.endedAt + OBEYED_MS + TOLERANCE_MS
      const isSuspended = suspensions.some((each) => each.account === account && lasts(each))
      return isSuspended || isForgetful ? undefined : "and nobody suspended it"
    }
    case "insufficient_balance":
      return settings.budgetMicros === undefined ? "and has no budget" : undefined
    case "concurrency_limit_exceeded":
      return settings.unfinishedTasks === undefined ? "and has no such limit" : undefined
    case "rate_limit_exceeded":
      return settings.rates === undefined ? "and has no rate" : undefined
    case "max_cost_exceeded":
    case "quote_expired":
    case "hold_not_allowed":
      return undefined
    default:
      return "which no account of the round may be"
  }
}
