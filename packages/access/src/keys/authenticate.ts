/**
 * Who calls, and whether they may. A verified key is believed for `keyBelievedMs`, counted from
 * before it was read, so a revocation holds within that time. Keys are remembered by their id with a
 * hash, so that no clear key outlives its connection. A key that is new here may be anybody's
 * invention: only so many of those are looked up at a time.
 *
 *     known lately → answered at once
 *     known, and not lately → looked up
 *     new → in line → looked up ─wrong→ refused without a look for `keyBelievedMs`
 */
import {
  createBoundedCache,
  parseApiKey,
  type Account,
  type ApiKeyParts,
  type ApiKeyScope,
  type Clock,
} from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Gate } from "../gate.ts"
import { isExpired, refuseKey, verifyKey, type Caller, type CallerStorage } from "./key-verifier.ts"
import { createSentKeys, type SentKey } from "./sent-keys.ts"

export interface AuthenticateOptions {
  readonly storage: CallerStorage
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly settings: Pick<HttpSettings, "cachedKeys" | "keyBelievedMs">
  /** Where look-ups of new keys stand in line. */
  readonly strangers: Gate
}

/**
 * The account behind an Authorization header. Throws a `Refusal` (401, 403) where there is none or
 * it lacks one of `scopes`, and `overloaded` where too many new keys wait; answers at once, without
 * a promise, for a key verified lately. `connection` is what the header came over, where that is
 * known: a key that it sends again need not be hashed again.
 */
export type Authenticate = (
  header: string | null | undefined,
  scopes: readonly ApiKeyScope[],
  connection?: object,
) => Account | Promise<Account>

interface Verified {
  readonly caller: Caller
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

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { storage, clock, settings, strangers } = options
  /** By key id. */
  const verified = createBoundedCache<Verified>(settings.cachedKeys)
  /** Until when a wrong key is refused without a look, by its hash. */
  const wrongUntilMs = createBoundedCache<number>(settings.cachedKeys)
  /** Verifications that run, so that a key's callers wait for one look-up together. By the key's hash. */
  const running = new Map<string, Promise<Caller>>()
  const readSentKey = createSentKeys({
    isVerified: ({ id, keySha256 }) => verified.get(id)?.keySha256 === keySha256,
  })

  async function verify({ parts, keySha256 }: GivenKey, isKnown: boolean): Promise<Caller> {
    let believedUntilMs = 0
    function lookNow(): Promise<Caller> {
      believedUntilMs = clock.monotonicNow() + settings.keyBelievedMs
      return verifyKey(storage, parts, clock.now())
    }
    try {
      const caller = await (isKnown ? lookNow() : strangers.pass(1, lookNow))
      verified.set(parts.id, { caller, keySha256, believedUntilMs })
      return caller
    } catch (error) {
      // A storage that fails says nothing against the key, which would stand in line as a new one then.
      if (!(error instanceof Refusal)) throw error
      // Another key with the same id stays known.
      if (isKnown) verified.delete(parts.id)
      if (error.code === "invalid_api_key") wrongUntilMs.set(keySha256, believedUntilMs)
      throw error
    } finally {
      running.delete(keySha256)
    }
  }

  function verifyOnce(key: GivenKey, isKnown: boolean): Promise<Caller> {
    const known = running.get(key.keySha256)
    if (known !== undefined) return known
    const started = verify(key, isKnown)
    running.set(key.keySha256, started)
    return started
  }

  /** Throws for what is no key, before anything is remembered of it. */
  function look({ text, keySha256 }: SentKey, isKnown: boolean): Promise<Caller> {
    const parts = parseApiKey(text)
    const isWrong = clock.monotonicNow() < (wrongUntilMs.get(keySha256) ?? 0)
    if (parts === undefined || isWrong) throw refuseKey("invalid_api_key")
    return verifyOnce({ parts, keySha256 }, isKnown)
  }

  function judge(sent: SentKey, scopes: readonly ApiKeyScope[]): Account | Promise<Account> {
    const entry = verified.get(sent.id)
    // How far two digests agree tells nothing of a key, so they may be compared as they are.
    const isKnown = entry?.keySha256 === sent.keySha256
    if (!isKnown || clock.monotonicNow() >= entry.believedUntilMs) {
      return look(sent, isKnown).then((caller) => admit(caller, scopes))
    }
    if (isExpired(entry.caller, clock.now())) throw refuseKey("api_key_expired")
    return admit(entry.caller, scopes)
  }

  return (header, scopes, connection) => {
    if (header === null || header === undefined || header === "") throw refuseMissing()
    const sent = readSentKey(header, connection)
    return sent instanceof Promise ? sent.then((key) => judge(key, scopes)) : judge(sent, scopes)
  }
}

function admit(caller: Caller, scopes: readonly ApiKeyScope[]): Account {
  if (caller.account.suspendedAt !== 0) throw new Refusal("account_suspended")
  const lacking = scopes.find((scope) => !caller.scopes.includes(scope))
  if (lacking === undefined) return caller.account
  const challenge = `Bearer realm="api", error="insufficient_scope", scope="${scopes.join(" ")}"`
  throw new Refusal("insufficient_scope", {
    message: `The API key lacks the scope ${lacking}.`,
    headers: { "www-authenticate": challenge },
  })
}

function refuseMissing(): Refusal {
  return new Refusal("missing_api_key", { headers: { "www-authenticate": 'Bearer realm="api"' } })
}
