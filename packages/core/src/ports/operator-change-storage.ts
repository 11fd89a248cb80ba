/**
 * The record of what operators changed: who, what, and when. It is only ever added to. A change is recorded before it
 * is made, so that none is without its record; if the process or the database fails between the two, the record
 * names a change that was not made. Errors are those of `TaskStorage`.
 */
import type { AccountSettings } from "../accounts/account.ts"
import type { ApiKeyScope } from "../keys/api-key-scope.ts"

export interface OperatorChangeStorage {
  /** Adds to the record; durable once resolved. Twice with one id is the same as once. */
  addOperatorChange(change: OperatorChange): Promise<void>
  /** Newest first, by id. */
  listOperatorChanges(request: OperatorChangesRequest): Promise<OperatorChangePage>
}

/** Instead of the id of a key: a command on the database, or the link that signs a browser in. */
export const CHANGED_WITHOUT_KEY = { command: "command", signIn: "sign-in" } as const

/**
 * `account-set`, `links-revoked` of an account and `tasks-stopped`: the target is the account. `key-…`: the id of the
 * key. `clock-trusted`, by the flag of `serve`: the word `clock`. `link-key-rotated`: the id of the new key that signs links. `channel-…`: the channel. `task-…` and
 * `links-revoked` of an artifact: the task.
 */
export type OperatorChangeKind =
  | "account-set"
  | "channel-paused"
  | "channel-resumed"
  | "clock-trusted"
  | "key-created"
  | "key-revoked"
  | "key-rotated"
  | "link-key-rotated"
  | "links-revoked"
  | "task-cancelled"
  | "task-erased"
  | "task-resolved"
  | "tasks-stopped"

export interface OperatorChange {
  /** A UUIDv7. */
  readonly id: string
  /** Milliseconds. */
  readonly at: number
  /** The id of the operator's key, or a text of `CHANGED_WITHOUT_KEY`. */
  readonly changedBy: string
  readonly change: OperatorChangeKind
  readonly target: string
  /** Whose the target is; null if it is no account's, or that is not known. */
  readonly account: string | null
  readonly details: OperatorChangeDetails
}

/** Never a secret. */
export interface OperatorChangeDetails {
  /** The settings that were given. */
  readonly settings?: Partial<AccountSettings>
  /** Of a key that was made. */
  readonly scopes?: readonly ApiKeyScope[]
  /** When the key that was made ends; 0: never. */
  readonly expiresAt?: number
  /** The id of the key that replaces the target. */
  readonly successor?: string
  /** When the replaced key ends at the latest. */
  readonly replacedExpiresAt?: number
  /** Key of the artifact whose links were revoked. */
  readonly artifact?: string
  /** Of a task in doubt. */
  readonly verdict?: "adopt" | "fail"
}

export interface OperatorChangesRequest {
  readonly limit: number
  /** The id of the last change of the page before. */
  readonly before?: string
}

export interface OperatorChangePage {
  readonly changes: readonly OperatorChange[]
  /** For the page behind; null at the end. */
  readonly next: string | null
}
