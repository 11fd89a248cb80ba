/**
 * The operator's calls about accounts and their keys. What may be done twice is repeated as long as its errors are
 * retryable; making and replacing a key is sent once, since its secret is shown once.
 */
import {
  isApiKey,
  isApiKeyList,
  isNewApiKey,
  isOperatorAccount,
  isOperatorAccountList,
  isRotatedApiKey,
} from "../api/check-operator-answers.ts"
import type {
  AccountSettings,
  ApiKey,
  NewApiKey,
  OperatorAccount,
  OperatorAccountList,
  RotatedApiKey,
} from "../api/operator-answers.ts"
import { withQuery } from "../api/paths.ts"
import type { Check, Connection } from "../connection/connection.ts"
import type { ApiRequest } from "../connection/send-request.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

export interface AccountsQuery {
  /** 20 by default. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined
}

type Settable = Omit<AccountSettings, "account" | "created_at" | "suspended_at">

/** What is not given stays as it is; null is no limit. */
export type AccountChange = { readonly [Name in keyof Settable]?: Settable[Name] | undefined } & {
  /** Refuses every request of the account; tasks that it has continue. */
  readonly suspended?: boolean | undefined
}

export interface KeyTerms {
  /** All but `admin` by default. */
  readonly scopes?: ApiKey["scopes"] | undefined
  /** Seconds; for ever by default. */
  readonly expires_in?: number | undefined
}

export interface RotationTerms {
  /** For how long the old key holds, seconds; not at all by default. */
  readonly grace_seconds?: number | undefined
  /** Of the new key, seconds; as long as the old one was made for by default. */
  readonly expires_in?: number | undefined
}

export interface AdminAccountCalls {
  /** One page, by name. */
  list(query?: AccountsQuery, options?: CallOptions): Promise<OperatorAccountList>
  /** With what its tasks add up to. */
  get(account: string, options?: CallOptions): Promise<OperatorAccount>
  /** Changes what is given, and makes the account if it is new. Twice is the same as once. */
  set(account: string, change: AccountChange, options?: CallOptions): Promise<OperatorAccount>
  /** Revoked ones too, oldest first; no secret is shown. */
  keys(account: string, options?: CallOptions): Promise<readonly ApiKey[]>
  /** The answer alone has the secret, `key`: store it. */
  createKey(account: string, terms?: KeyTerms, options?: CallOptions): Promise<NewApiKey>
  /** Twice is safe. */
  revokeKey(account: string, id: string, options?: CallOptions): Promise<ApiKey>
  /** Replaces a key. The answer alone has the new one. */
  rotateKey(
    account: string,
    id: string,
    terms?: RotationTerms,
    options?: CallOptions,
  ): Promise<RotatedApiKey>
  /** Ends every private link that the account made until now. */
  revokeLinks(account: string, options?: CallOptions): Promise<void>
}

const PATH = "/v1/admin/accounts"
const toPath = (account: string): string => `${PATH}/${encodeURIComponent(account)}`
const toKeysPath = (account: string): string => `${toPath(account)}/keys`
const toKeyPath = (account: string, id: string, word: string): string =>
  `${toKeysPath(account)}/${encodeURIComponent(id)}/${word}`

export function createAdminAccountCalls(connection: Connection): AdminAccountCalls {
  const once = async <Value>(request: ApiRequest, check: Check<Value>): Promise<Value> =>
    (await connection.ask(request, check)).value
  const repeat = <Value>(request: ApiRequest, check: Check<Value>): Promise<Value> =>
    connection.retry(() => once(request, check), { signal: request.signal })

  return {
    list: ({ cursor, limit } = {}, { signal } = {}) =>
      connection.read(withQuery(PATH, { limit, cursor }), isOperatorAccountList, { signal }),
    get: (account, { signal } = {}) =>
      connection.read(toPath(account), isOperatorAccount, { signal }),
    set: (account, change, { signal } = {}) =>
      repeat(
        { method: "PUT", path: toPath(account), ...toJson(change), signal },
        isOperatorAccount,
      ),
    async keys(account, { signal } = {}) {
      return (await connection.read(toKeysPath(account), isApiKeyList, { signal })).keys
    },
    createKey: (account, terms = {}, { signal } = {}) =>
      once({ method: "POST", path: toKeysPath(account), ...toJson(terms), signal }, isNewApiKey),
    revokeKey: (account, id, { signal } = {}) =>
      repeat({ method: "POST", path: toKeyPath(account, id, "revoke"), signal }, isApiKey),
    rotateKey(account, id, terms = {}, { signal } = {}) {
      const path = toKeyPath(account, id, "rotate")
      return once({ method: "POST", path, ...toJson(terms), signal }, isRotatedApiKey)
    },
    async revokeLinks(account, { signal } = {}) {
      const request = { method: "POST", path: `${toPath(account)}/links/revoke`, signal } as const
      const answer = await connection.retry(() => connection.open(request), { signal })
      answer.cancel()
    },
  }
}

function toJson(body: object): Pick<ApiRequest, "body" | "headers"> {
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
}
