/**
 * What a front end asks before it serves a request: who calls, what the key may do, how often the account may
 * ask, and what a private link opens. Each is a question of its own. Whether the account has room for one
 * more task is not asked here: the storage judges that in the commit that adds it. A refusal is a value; a
 * rejected promise says that the outside failed, and nothing about the caller.
 */
import type { Account, RatePolicy } from "../accounts/account.ts"
import type { ApiKeyScope } from "../keys/api-key-scope.ts"
import type { Artifact } from "../task/projection.ts"
import type { Task } from "../task/task.ts"
import type { LinkScope } from "./link-storage.ts"

export interface Access extends LinkAccess {
  /**
   * Who calls. Answers without a promise for a key that was verified lately; a revoked key or a changed
   * account is noticed within the time that keys are cached. Rejects with `overloaded` if too many unknown
   * keys wait to be looked up, and with what the storage rejects with.
   */
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>
  /** Whether the key may do what needs `scopes`: refused for a suspended account, and if it lacks one of them. */
  authorize(identity: Identity, scopes: readonly ApiKeyScope[]): Authorization
  /**
   * Counts a request of the account against its rate of that policy; undefined if it has none, which costs
   * nothing. Answers without a promise unless the storage has to be asked. Rejects with
   * `storage-unavailable` if that fails. Each call counts.
   */
  rateLimit(
    account: Account,
    policy: RatePolicy,
  ): RateAnswer | undefined | Promise<RateAnswer | undefined>
}

export interface Credentials {
  /** The `Authorization` header as sent. */
  readonly authorization: string | null | undefined
}

export interface Identity {
  readonly account: Account
  /** 10 base62 digits; not secret. */
  readonly keyId: string
  readonly scopes: readonly ApiKeyScope[]
  /** When the key ends, in milliseconds; 0 for a key without an end. */
  readonly expiresAt: number
}

export type Authentication =
  | { readonly kind: "authenticated"; readonly identity: Identity }
  | { readonly kind: "refused"; readonly code: AuthenticationRefusal }

/** What a revoked or expired key learns depends on its secret being right. */
export type AuthenticationRefusal =
  | "missing-api-key"
  | "invalid-api-key"
  | "api-key-revoked"
  | "api-key-expired"

export type Authorization =
  | { readonly kind: "authorized" }
  | { readonly kind: "refused"; readonly code: "account-suspended" }
  | {
      readonly kind: "refused"
      readonly code: "insufficient-scope"
      /** The first of those asked for that the key does not have. */
      readonly scope: ApiKeyScope
    }

export interface RateAnswer {
  readonly isWithin: boolean
  /** Requests that could be let through now, as far as this process knows. */
  readonly remaining: number
  /** When it will be one more, in milliseconds; at least 1. */
  readonly moreInMs: number
}

/**
 * Private links to artifacts (http-decisions §6). No link is stored, so none can be listed. Every method
 * rejects with what the storage rejects with, and may be called twice.
 */
export interface LinkAccess {
  /**
   * A link to one artifact, which the caller knows to be the account's. It ends after `seconds`, and never
   * after the artifact does; undefined if the artifact expires before a link could open it.
   */
  createLink(request: CreateLinkRequest): Promise<PrivateLink | undefined>
  /**
   * The artifact that the link opens at `now`; undefined, whatever is wrong with the link or with what it
   * names. Rejects with `overloaded` too, if too many links wait that are not known to be signed.
   */
  openLink(request: OpenLinkRequest): Promise<LinkedArtifact | undefined>
  /** Ends every link of an artifact, or of an account, on every node; durable once resolved. */
  revokeLinks(scope: LinkScope): Promise<void>
}

/** How long a link opens its artifact: a day, and a week at most (http-decisions §6). */
export const LINK_SECONDS = { byDefault: 86_400, min: 1, max: 604_800 } as const

export interface CreateLinkRequest {
  readonly account: string
  readonly artifact: Pick<Artifact, "task" | "key" | "expiresAt">
  readonly now: number
  /** Within `LINK_SECONDS`; `byDefault` of it if absent. */
  readonly seconds?: number | undefined
}

export interface PrivateLink {
  /** Whoever has it has the artifact: the value of `access` in the address of its content. */
  readonly token: string
  /** Milliseconds, on a whole second. */
  readonly endsAt: number
}

export interface OpenLinkRequest {
  /** Every value of the query's `access`; more than one opens nothing. */
  readonly access: readonly string[]
  /** As the path names it, like the key. */
  readonly task: string
  readonly key: string
  readonly now: number
}

export interface LinkedArtifact {
  readonly task: Task
  readonly artifact: Artifact
  readonly account: Account
  /** When the link ends, in milliseconds; never after the artifact does. */
  readonly linkEndsAt: number
}
