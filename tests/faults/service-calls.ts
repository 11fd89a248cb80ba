/**
 * Calls of accounts to whichever node is up, each with a key that is believed to hold. An answer that the
 * account or the key may not, or not now, is written down for the oracle: only the whole round tells
 * whether it was right.
 */
import type { NewKey } from "@safelight/core"
import type { Activity } from "./activity.ts"
import { ask, type Answer, type Sent, type Target } from "./http-calls.ts"
import type { Random } from "./random.ts"
import type { Telling } from "./told.ts"

export interface ServiceCallsOptions {
  readonly activity: Activity
  readonly random: Random
  /** A key of the account that is believed to hold; undefined where there is none. */
  readonly keyOf: (account: string) => NewKey | undefined
  /** Nodes that are up as far as is known. */
  readonly targets: () => readonly Target[]
  readonly telling: Pick<Telling, "refusals">
  /** Gives up what is under way. */
  readonly signal: AbortSignal
}

export interface Called extends Answer {
  /** The id of the key that it was asked with. */
  readonly key: string
}

export interface ServiceCalls {
  /** Null where no answer came. A `sent` makes it a POST. */
  call(account: string, path: string, sent?: Sent): Promise<Called | null>
  /** How often each status was answered; `none` where nothing was. */
  readonly answers: ReadonlyMap<string, number>
}

/** Of the account or the key, perhaps for now. */
const IS_OF_ACCOUNT: ReadonlySet<number> = new Set([401, 402, 403, 429])

export function isOfAccount({ status }: Pick<Answer, "status">): boolean {
  return IS_OF_ACCOUNT.has(status)
}

export function createServiceCalls(options: ServiceCallsOptions): ServiceCalls {
  const { activity, keyOf, random, signal, targets, telling } = options
  const answers = new Map<string, number>()
  return {
    answers,
    async call(account, path, sent) {
      const up = targets()
      const target = up[random.integer(0, Math.max(0, up.length - 1))]
      const key = keyOf(account)
      if (target === undefined || key === undefined) {
        const isServed = (): boolean => targets().length > 0 && keyOf(account) !== undefined
        await activity.until(() => isServed() || signal.aborted)
        return null
      }
      const answer = await ask({ target, path, key: key.key, sent, signal })
      const name = answer === null ? "none" : `${answer.status}`
      answers.set(name, (answers.get(name) ?? 0) + 1)
      activity.note()
      if (answer === null) return null
      if (isOfAccount(answer)) {
        const { body, sentAt, status } = answer
        const code = body.error?.code ?? ""
        telling.refusals.push({ account, key: key.id, status, code, sentAt, at: Date.now() })
      }
      return { ...answer, key: key.id }
    },
  }
}
