/**
 * An account's request rates and the headers that tell them (http-decisions §7). The headers go onto the
 * exchange, and so onto whatever is answered; an account without a rate has none.
 */
import type { Access, Account, Rate, RateAnswer, RatePolicy } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange } from "../exchange.ts"

/**
 * Counts a request of the account; a promise only if the storage has to be asked. Throws or rejects with a
 * `Refusal` (429), or with `storage-unavailable`.
 */
export type RateLimit = (
  exchange: Pick<Exchange, "headers">,
  account: Account,
  policy: RatePolicy,
) => Promise<void> | undefined

export function createRateLimit(access: Pick<Access, "rateLimit">): RateLimit {
  return (exchange, account, policy) => {
    const rate = account.rates[policy]
    if (rate === null) return undefined
    exchange.headers["ratelimit-policy"] = toPolicy(policy, rate)
    function judge(answer: RateAnswer | undefined): undefined {
      if (answer === undefined) return undefined
      const seconds = Math.ceil(answer.moreInMs / 1_000)
      exchange.headers["ratelimit"] = `"${policy}";r=${answer.remaining};t=${seconds}`
      if (answer.isWithin) return undefined
      throw new Refusal("rate_limit_exceeded", { headers: { "retry-after": String(seconds) } })
    }
    const answer = access.rateLimit(account, policy)
    return answer instanceof Promise ? answer.then(judge) : judge(answer)
  }
}

/** As the draft "RateLimit header fields for HTTP" writes it: `"create";q=60;w=60`. */
function toPolicy(policy: RatePolicy, { requests, windowMs }: Rate): string {
  return `"${policy}";q=${requests};w=${Math.ceil(windowMs / 1000)}`
}
