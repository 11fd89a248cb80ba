/**
 * Who calls, and whether they may. A verified header is believed for `keyBelievedMs`, counted from
 * before the key was read, so a revocation holds within that time; refusals are never remembered.
 */
import { createBoundedCache, type Account, type ApiKeyScope, type Clock } from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import { Refusal } from "../errors/refusal.ts"
import { isExpired, refuseKey, verifyKey, type Caller, type CallerStorage } from "./key-verifier.ts"

export interface AuthenticateOptions {
  readonly storage: CallerStorage
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly settings: Pick<HttpSettings, "cachedKeys" | "keyBelievedMs">
}

/**
 * The account behind an Authorization header. Throws a `Refusal` (401, 403) where there is none or
 * it lacks `scope`; answers at once, without a promise, for a header verified lately.
 */
export type Authenticate = (
  header: string | null | undefined,
  scope: ApiKeyScope,
) => Account | Promise<Account>

interface Verified {
  readonly caller: Caller
  /** On the monotonic clock. */
  readonly believedUntilMs: number
}

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { storage, clock, settings } = options
  const verified = createBoundedCache<Verified>(settings.cachedKeys)
  /** Verifications that run, so that a key's callers wait for one look-up together. */
  const running = new Map<string, Promise<Caller>>()

  async function verify(header: string): Promise<Caller> {
    const believedUntilMs = clock.monotonicNow() + settings.keyBelievedMs
    try {
      const caller = await verifyKey(storage, header, clock.now())
      verified.set(header, { caller, believedUntilMs })
      return caller
    } catch (error) {
      verified.delete(header)
      throw error
    } finally {
      running.delete(header)
    }
  }

  function verifyOnce(header: string): Promise<Caller> {
    const known = running.get(header)
    if (known !== undefined) return known
    const started = verify(header)
    running.set(header, started)
    return started
  }

  return (header, scope) => {
    if (header === null || header === undefined || header === "") throw refuseMissing()
    const entry = verified.get(header)
    if (entry === undefined || clock.monotonicNow() >= entry.believedUntilMs) {
      return verifyOnce(header).then((caller) => admit(caller, scope))
    }
    if (isExpired(entry.caller, clock.now())) throw refuseKey("api_key_expired")
    return admit(entry.caller, scope)
  }
}

function admit(caller: Caller, scope: ApiKeyScope): Account {
  if (caller.account.suspendedAt !== 0) throw new Refusal("account_suspended")
  if (caller.scopes.includes(scope)) return caller.account
  const challenge = `Bearer realm="api", error="insufficient_scope", scope="${scope}"`
  throw new Refusal("insufficient_scope", {
    message: `The API key lacks the scope ${scope}.`,
    headers: { "www-authenticate": challenge },
  })
}

function refuseMissing(): Refusal {
  return new Refusal("missing_api_key", { headers: { "www-authenticate": 'Bearer realm="api"' } })
}
