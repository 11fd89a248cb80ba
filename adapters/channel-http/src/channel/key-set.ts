/**
 * The Ed25519 keys of a provider's JSON Web Key Set (RFC 7517, RFC 8037). They are kept for a
 * day. If none fits they are fetched again, since keys are rotated, but at most once a minute, so that forged
 * messages cause no flood. Padded base64url, which fal writes, is accepted.
 */
import { createPublicKey, verify, type KeyObject } from "node:crypto"
import type { AbortSignalLike, Clock, Json } from "@safelight/core"
import type { Reply } from "../declaration/provider-request.ts"
import { unavailable } from "../declaration/unavailable.ts"
import { listAt, textAt } from "../declaration/read-reply.ts"

export interface KeySet {
  /**
   * Whether any of the keys made the signature. Rejects with `channel-unavailable` if the keys can't be
   * fetched.
   */
  verifies(signed: Uint8Array, signature: Uint8Array, signal: AbortSignalLike): Promise<boolean>
}

export interface KeySetOptions {
  /** Gets the set, with no credentials. */
  readonly get: (signal: AbortSignalLike) => Promise<Reply>
  readonly clock: Pick<Clock, "monotonicNow">
}

/** What fal's documentation recommends. */
const KEPT_MS = 24 * 3_600_000
/** A message that was signed with a new key is sent again before long. */
const REFETCH_MS = 60_000
const MOST_KEYS = 16

export function createKeySet({ clock, get }: KeySetOptions): KeySet {
  let keys: readonly KeyObject[] = []
  let gotAt = -Infinity
  let triedAt = -Infinity
  let getting: Promise<void> | undefined

  async function load(signal: AbortSignalLike): Promise<void> {
    triedAt = clock.monotonicNow()
    const { json, status } = await get(signal)
    const found = status === 200 ? toKeys(json) : []
    if (found.length === 0)
      throw unavailable(`the keys of its webhooks can't be fetched (${status})`)
    keys = found
    gotAt = triedAt
  }

  /** One request at a time, which callers share. */
  const loadOnce = (signal: AbortSignalLike): Promise<void> =>
    (getting ??= load(signal).finally(() => (getting = undefined)))

  const isFresh = (): boolean => clock.monotonicNow() - gotAt < KEPT_MS
  const mayAsk = (): boolean =>
    getting !== undefined || clock.monotonicNow() - triedAt >= REFETCH_MS

  return {
    async verifies(signed, signature, signal) {
      const fits = (key: KeyObject): boolean => verify(null, signed, key, signature)
      if (isFresh() && keys.some(fits)) return true
      if (mayAsk()) await loadOnce(signal)
      else if (!isFresh()) throw unavailable("the keys of its webhooks could not be fetched lately")
      return keys.some(fits)
    },
  }
}

function toKeys(json: Json | undefined): readonly KeyObject[] {
  return listAt(json, "keys")
    .slice(0, MOST_KEYS)
    .flatMap((each) => {
      const x = textAt(each, "x")?.replace(/=+$/, "") ?? ""
      // 32 bytes; other kinds of keys are left out.
      if (textAt(each, "crv") !== "Ed25519" || !/^[A-Za-z0-9_-]{43}$/.test(x)) return []
      return [createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })]
    })
}
