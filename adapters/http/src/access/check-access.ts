/**
 * Who calls, what the key may do, and whether the account calls too often: three questions, asked before
 * every endpoint that needs a key, in the order of http-decisions §1. The first two are asked once more when a
 * body has arrived, since that may take minutes and a revocation holds within a second. `Access` answers them;
 * here its answers become refusals.
 */
import type {
  Access,
  ApiKeyScope,
  Authentication,
  AuthenticationRefusal,
  Authorization,
  Identity,
} from "@safelight/core"
import type { KeyNeed } from "../endpoint.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange } from "../exchange.ts"
import type { RateLimit } from "./rate-limit.ts"

/**
 * Sets the exchange's `identity` and `caller`, also of a key that the endpoint refuses. A promise only if something
 * has to be waited for. Throws or rejects with a `Refusal` (401, 403, 429), or with what `Access` rejects with.
 */
export type Check = (exchange: Exchange, need: KeyNeed) => Promise<void> | undefined

export interface CheckAccess {
  /** Whether the key may do it; counts the request. */
  readonly admit: Check
  /** Whether it still may; counts nothing. */
  readonly confirm: Check
}

const CODES: Readonly<Record<AuthenticationRefusal, ErrorCode>> = {
  "missing-api-key": "missing_api_key",
  "invalid-api-key": "invalid_api_key",
  "api-key-revoked": "api_key_revoked",
  "api-key-expired": "api_key_expired",
}

export function createCheckAccess(access: Access, rateLimit: RateLimit): CheckAccess {
  function identify(exchange: Exchange, { scopes }: KeyNeed): Identity | Promise<Identity> {
    function judge(authentication: Authentication): Identity {
      const identity = demandIdentity(authentication)
      exchange.identity = identity
      exchange.caller = identity.account
      demandScopes(access.authorize(identity, scopes), scopes)
      return identity
    }
    const authorization = exchange.request.headers.get("authorization")
    const known = access.authenticate({ authorization })
    return known instanceof Promise ? known.then(judge) : judge(known)
  }

  return {
    admit(exchange, need) {
      const count = ({ account }: Identity) => rateLimit(exchange, account, need.rate)
      const identity = identify(exchange, need)
      return identity instanceof Promise ? identity.then(count) : count(identity)
    },
    confirm(exchange, need) {
      const identity = identify(exchange, need)
      return identity instanceof Promise ? identity.then(() => undefined) : undefined
    },
  }
}

/** Whether a key may still do what it was let in for: without counting it, and without a refusal. */
export function createIsStillAllowed(access: Pick<Access, "authenticate" | "authorize">) {
  return (
    authorization: string | null,
    scopes: readonly ApiKeyScope[],
  ): boolean | Promise<boolean> => {
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
