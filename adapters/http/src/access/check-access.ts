/**
 * Who calls, what the key may do, and whether the account calls too often: three questions, asked before
 * every endpoint that needs a key, in the order of http-decisions §1. The first two are asked once more when a
 * body has arrived, since that may take minutes and a revocation holds within a second. `Access` answers them;
 * here its answers become refusals.
 */
import type {
  Access,
  Account,
  ApiKeyScope,
  Authentication,
  AuthenticationRefusal,
  Authorization,
  Identity,
  Rate,
  RateAnswer,
  RatePolicy,
} from "@safelight/core"
import type { ErrorCode } from "../errors/error-table.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange } from "../pipeline/exchange.ts"

/** The key that a caller needs. */
export interface KeyNeed {
  /** All of them. */
  readonly scopes: readonly ApiKeyScope[]
  /** The rate that the request is counted against. */
  readonly rate: RatePolicy
  /** Another way in: if it is there no key is looked at, and the handler decides. */
  readonly unless?: Opener
}

/** A parameter of the query that replaces a key. */
export interface Opener {
  readonly name: string
  readonly description: string
  readonly isThere: (request: Request) => boolean
}

/**
 * Whose key it is. The request's report learns it too, also if the endpoint refuses the key. A promise only if
 * something has to be waited for. Throws or rejects with a `Refusal` (401, 403, 429), or with what `Access`
 * rejects with.
 */
export type Check = (exchange: Exchange, need: KeyNeed) => Identity | Promise<Identity>

export interface CheckAccess {
  /** Whether the key may do it; counts the request. */
  readonly admit: Check
  /** Whether it still may; counts nothing. */
  readonly confirm: Check
}

/**
 * Counts a request of the account; a promise only if the storage has to be asked. Throws or rejects with a
 * `Refusal` (429), or with `storage-unavailable`. The headers that tell the rate (http-decisions §7) become the
 * exchange's, and so those of whatever is answered; an account without a rate has none.
 */
export type RateLimit = (
  exchange: Pick<Exchange, "headers">,
  account: Account,
  policy: RatePolicy,
) => Promise<void> | undefined

const CODES: Readonly<Record<AuthenticationRefusal, ErrorCode>> = {
  "missing-api-key": "missing_api_key",
  "invalid-api-key": "invalid_api_key",
  "api-key-revoked": "api_key_revoked",
  "api-key-expired": "api_key_expired",
}

export function createCheckAccess(access: Access, rateLimit: RateLimit): CheckAccess {
  function confirm(exchange: Exchange, { scopes }: KeyNeed): Identity | Promise<Identity> {
    function judge(authentication: Authentication): Identity {
      const identity = demandIdentity(authentication)
      exchange.report.identity = identity
      demandScopes(access.authorize(identity, scopes), scopes)
      return identity
    }
    const authorization = exchange.request.headers.get("authorization")
    const known = access.authenticate({ authorization })
    return known instanceof Promise ? known.then(judge) : judge(known)
  }

  return {
    admit(exchange, need) {
      function count(identity: Identity): Identity | Promise<Identity> {
        const counting = rateLimit(exchange, identity.account, need.rate)
        return counting === undefined ? identity : counting.then(() => identity)
      }
      const identity = confirm(exchange, need)
      return identity instanceof Promise ? identity.then(count) : count(identity)
    },
    confirm,
  }
}

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

/**
 * Whether a key may still do what it was let in for: without counting it, and without a refusal. Rejects if that
 * can't be known for now.
 */
export type IsStillAllowed = (
  authorization: string | null,
  scopes: readonly ApiKeyScope[],
) => boolean | Promise<boolean>

export function createIsStillAllowed(
  access: Pick<Access, "authenticate" | "authorize">,
): IsStillAllowed {
  return (authorization, scopes) => {
    const isAllowed = (known: Authentication): boolean =>
      known.kind === "authenticated" &&
      access.authorize(known.identity, scopes).kind === "authorized"
    const known = access.authenticate({ authorization })
    return known instanceof Promise ? known.then(isAllowed) : isAllowed(known)
  }
}

/** RFC 6750 §3: what `WWW-Authenticate` says. */
function demandIdentity(authentication: Authentication): Identity {
  if (authentication.kind === "authenticated") return authentication.identity
  const { code } = authentication
  const error = code === "missing-api-key" ? "" : ', error="invalid_token"'
  throw new Refusal(CODES[code], { headers: { "www-authenticate": `Bearer realm="api"${error}` } })
}

function demandScopes(authorization: Authorization, scopes: readonly ApiKeyScope[]): void {
  if (authorization.kind === "authorized") return
  if (authorization.code === "account-suspended") throw new Refusal("account_suspended")
  const challenge = `Bearer realm="api", error="insufficient_scope", scope="${scopes.join(" ")}"`
  throw new Refusal("insufficient_scope", {
    message: `The API key lacks the scope ${authorization.scope}.`,
    headers: { "www-authenticate": challenge },
  })
}

/** As the draft "RateLimit header fields for HTTP" writes it: `"create";q=60;w=60`. */
function toPolicy(policy: RatePolicy, { requests, windowMs }: Rate): string {
  return `"${policy}";q=${requests};w=${Math.ceil(windowMs / 1000)}`
}
