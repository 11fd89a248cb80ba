/**
 * An account's request rates at the door (http-decisions §7). The headers go onto the exchange and
 * so onto whatever is answered; an account without a rate has none and costs nothing.
 */
import type { Account, Rate, RatePolicy } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange } from "../exchange.ts"
import type { RateAnswer, RateLimiter } from "./rate-limiter.ts"

/**
 * Counts a request of the account; throws or rejects with a `Refusal` (429), or with
 * `storage-unavailable`. Gives the account back, at once where it can.
 */
export type Limit = (
  exchange: Pick<Exchange, "headers">,
  account: Account,
  policy: RatePolicy,
) => Account | Promise<Account>

export function createLimit(limiter: RateLimiter): Limit {
  return (exchange, account, policy) => {
    const rate = account.rates[policy]
    if (rate === null) return account
    exchange.headers["ratelimit-policy"] = toPolicy(policy, rate)
    function judge(answer: RateAnswer): Account {
      const seconds = Math.ceil(answer.moreInMicros / 1_000_000)
      exchange.headers["ratelimit"] = `"${policy}";r=${answer.remaining};t=${seconds}`
      if (answer.isAdmitted) return account
      throw new Refusal("rate_limit_exceeded", { headers: { "retry-after": String(seconds) } })
    }
    const answer = limiter.take({ account: account.id, policy }, rate)
    return answer instanceof Promise ? answer.then(judge) : judge(answer)
  }
}

/** As the draft "RateLimit header fields for HTTP" writes it: `"create";q=60;w=60`. */
function toPolicy(policy: RatePolicy, { requests, windowMs }: Rate): string {
  return `"${policy}";q=${requests};w=${Math.ceil(windowMs / 1000)}`
}
