/**
 * What private access links rest on (http-decisions §6): the keys that sign them, and the epochs
 * whose rise revokes them. No link is stored. Errors are those of `TaskStorage`.
 */

export interface LinkStorage {
  /** The keys that links are verified with, the signing one first; at most two. */
  readLinkKeys(): Promise<readonly LinkKey[]>
  /**
   * Makes this the signing key; of the others only the newest stays; durable once resolved. A known id
   * changes nothing, so that a call which is repeated late undoes no rotation.
   */
  addLinkKey(key: LinkKey): Promise<void>
  /** The epoch of an artifact's links: the sum of its own and its account's, so that each rise counts. */
  readLinkEpoch(request: LinkEpochRequest): Promise<number>
  /** Revokes every link of an artifact, or of an account; durable once resolved. Each call counts. */
  raiseLinkEpoch(scope: LinkScope): Promise<void>
}

export interface LinkKey {
  /** 8 base62 digits; not secret. */
  readonly id: string
  /** 32 bytes as 64 lower-case hexadecimal digits; never logged or shown. */
  readonly secret: string
  readonly createdAt: number
}

export interface LinkEpochRequest {
  readonly account: string
  readonly task: string
  /** The artifact's key. */
  readonly key: string
}

export type LinkScope =
  | { readonly kind: "account"; readonly account: string; readonly now: number }
  | { readonly kind: "artifact"; readonly task: string; readonly key: string }
