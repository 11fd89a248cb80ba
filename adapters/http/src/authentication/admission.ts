/**
 * Who calls, whether they may, and whether they call too often: what stands before every endpoint
 * that needs an account, in the order of http-decisions §1.
 */
import type { Account, ApiKeyScope, RatePolicy } from "@safelight/core"
import { toConnection, type Exchange } from "../exchange.ts"
import type { Limit } from "../limits/limit.ts"
import type { Authenticate } from "./authenticate.ts"

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

export interface AdmissionOptions {
  readonly authenticate: Authenticate
  readonly limit: Limit
}

export function createAdmission({ authenticate, limit }: AdmissionOptions): Admit {
  return (exchange, { scopes, policy }) => {
    const header = exchange.request.headers.get("authorization")
    const account = authenticate(header, scopes, toConnection(exchange))
    if (account instanceof Promise) return account.then((known) => enter(exchange, known, policy))
    return enter(exchange, account, policy)
  }

  function enter(
    exchange: Parameters<Admit>[0],
    account: Account,
    policy: RatePolicy,
  ): Account | Promise<Account> {
    exchange.account = account.id
    return limit(exchange, account, policy)
  }
}
