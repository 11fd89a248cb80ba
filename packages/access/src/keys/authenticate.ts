/**
 * Who calls. A verified key is cached for `keyCacheMs`, counted from before it was read, so a
 * revocation holds within that time. Keys are remembered by their id with a hash, so that no clear key
 * outlives its request. A key that is unknown here may be anybody's invention: only so many of those are
 * looked up at a time.
 *
 *     verified lately → answered at once
 *     verified earlier → looked up
 *     unknown → waits its turn → looked up ─wrong→ refused without a look-up for `keyCacheMs`
 */
import {
  createBoundedCache,
  type Access,
  type Authentication,
  type Clock,
  type Semaphore,
} from "@safelight/core"
import type { AccessSettings } from "../settings/defaults.ts"
import { sha256 } from "./sha256.ts"
import { parseApiKey, type ApiKeyParts } from "./api-key.ts"
import { isExpired, refused, verifyKey, type IdentityStorage } from "./verify-key.ts"

export interface AuthenticateOptions {
  readonly storage: IdentityStorage
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly settings: Pick<AccessSettings, "cachedKeys" | "keyCacheMs">
  /** Bounds the look-ups of unknown keys. */
  readonly unknownKeys: Semaphore
}

type Authenticated = Extract<Authentication, { kind: "authenticated" }>

interface Verified {
  readonly authentication: Authenticated
  /** Of the whole key. */
  readonly keySha256: string
  /** On the monotonic clock. */
  readonly believedUntilMs: number
}

interface GivenKey {
  readonly parts: ApiKeyParts
  /** Of the whole key. */
  readonly keySha256: string
}

const BEARER = /^bearer +([^\s,]+)$/i
const ID_AT = "sl_live_".length
const ID_CHARACTERS = 10

const MISSING = refused("missing-api-key")
const INVALID = refused("invalid-api-key")
const EXPIRED = refused("api-key-expired")

export function createAuthenticate(options: AuthenticateOptions): Access["authenticate"] {
  const { storage, clock, settings, unknownKeys } = options
  /** By key id. */
  const verified = createBoundedCache<Verified>(settings.cachedKeys)
  /** Until when a wrong key is refused without a look-up, by its hash. */
  const wrongUntilMs = createBoundedCache<number>(settings.cachedKeys)
  /** Running verifications, by the key's hash, so that all callers with a key wait for one look-up. */
  const running = new Map<string, Promise<Authentication>>()

  async function verify({ parts, keySha256 }: GivenKey, isKnown: boolean): Promise<Authentication> {
    let believedUntilMs = 0
    function lookNow(): Promise<Authentication> {
      believedUntilMs = clock.monotonicNow() + settings.keyCacheMs
      return verifyKey(storage, parts, clock.now())
    }
    try {
      // A storage that fails says nothing against the key: a known one stays known.
      const authentication = await (isKnown ? lookNow() : unknownKeys.run(lookNow))
      if (authentication.kind === "authenticated") {
        verified.set(parts.id, { authentication, keySha256, believedUntilMs })
        return authentication
      }
      // Another key with the same id stays known.
      if (isKnown) verified.delete(parts.id)
      if (authentication.code === "invalid-api-key") wrongUntilMs.set(keySha256, believedUntilMs)
      return authentication
    } finally {
      running.delete(keySha256)
    }
  }

  function verifyOnce(key: GivenKey, isKnown: boolean): Promise<Authentication> {
    const known = running.get(key.keySha256)
    if (known !== undefined) return known
    const started = verify(key, isKnown)
    running.set(key.keySha256, started)
    return started
  }

  /** A text that is not a key is refused before anything is remembered of it. */
  function look(
    text: string,
    keySha256: string,
    isKnown: boolean,
  ): Authentication | Promise<Authentication> {
    const parts = parseApiKey(text)
    const isWrong = clock.monotonicNow() < (wrongUntilMs.get(keySha256) ?? 0)
    if (parts === undefined || isWrong) return INVALID
    return verifyOnce({ parts, keySha256 }, isKnown)
  }

  function judge(text: string, keySha256: string): Authentication | Promise<Authentication> {
    const entry = verified.get(text.slice(ID_AT, ID_AT + ID_CHARACTERS))
    // How far two digests agree reveals nothing of a key, so they need no constant-time comparison.
    const isKnown = entry?.keySha256 === keySha256
    if (!isKnown || clock.monotonicNow() >= entry.believedUntilMs)
      return look(text, keySha256, isKnown)
    const { authentication } = entry
    return isExpired(authentication.identity, clock.now()) ? EXPIRED : authentication
  }

  return ({ authorization }) => {
    if (authorization === null || authorization === undefined || authorization === "") {
      return MISSING
    }
    const [, text] = BEARER.exec(authorization) ?? []
    if (text === undefined) return INVALID
    const hashed = sha256(text)
    if (typeof hashed === "string") return judge(text, hashed)
    return hashed.then((keySha256) => judge(text, keySha256))
  }
}
