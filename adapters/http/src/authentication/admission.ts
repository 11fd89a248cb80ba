/**
 * Who calls, whether the key may, and whether the account calls too often: the three questions to ask
 * before every endpoint that needs an account, in the order of http-decisions §1, and how their
 * refusals are answered.
 */
import type {
  Access,
  Account,
  ApiKeyScope,
  Authentication,
  AuthenticationRefusal,
  Authorization,
  Identity,
  RatePolicy,
} from "@safelight/core"
import type { ErrorCode } from "../errors/error-table.ts"
import { Refusal } from "../errors/refusal.ts"
import { toConnection, type Exchange } from "../exchange.ts"
import type { Limit } from "./limit.ts"

export interface Need {
  /** All of them. */
  readonly scopes: readonly ApiKeyScope[]
  readonly policy: RatePolicy
}

/** The account that calls; throws a `Refusal` (401, 403, 429). Answers at once where it can. */
export type Admit = (
  exchange: Pick<Exchange, "request" | "headers" | "account" | "node" | "server">,
  need: Need,
) => Account | Promise<Account>

const CODES: Readonly<Record<AuthenticationRefusal, ErrorCode>> = {
  "missing-api-key": "missing_api_key",
  "invalid-api-key": "invalid_api_key",
  "api-key-revoked": "api_key_revoked",
  "api-key-expired": "api_key_expired",
}

export function createAdmission(access: Access, limit: Limit): Admit {
  return (exchange, need) => {
    const authorization = exchange.request.headers.get("authorization")
    const connection = toConnection(exchange)
    const known = access.authenticate({ authorization, connection })
    if (known instanceof Promise) return known.then((later) => enter(exchange, later, need))
    return enter(exchange, known, need)
  }

  function enter(
    exchange: Parameters<Admit>[0],
    authentication: Authentication,
    { scopes, policy }: Need,
  ): Account | Promise<Account> {
    const identity = demandIdentity(authentication)
    demandScopes(access.authorize(identity, scopes), scopes)
    exchange.account = identity.account.id
    return limit(exchange, identity.account, policy)
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
