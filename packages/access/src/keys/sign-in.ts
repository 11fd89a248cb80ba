/**
 * One-time links that sign a browser in. A link is shown where the first key is shown, and its token is exchanged for
 * a key of the operator's. This process alone knows the token, as a hash, so that a restart ends the link.
 *
 *     issued ─┬ exchanged in time ─▶ a key; used
 *             ├ a quarter of an hour passes ─▶ over
 *             └ another is issued ─▶ over
 */
import {
  API_KEY_SCOPES,
  type Clock,
  type KeyStorage,
  type SignedIn,
  type SignInService,
} from "@safelight/core"
import { sha256 } from "./sha256.ts"
import { createKey } from "./api-keys.ts"
import { toBase62Digits } from "./base62.ts"
import { isEqual } from "./is-equal.ts"

/** Long enough to be opened at leisure, short enough that an old terminal lets nobody in. */
const LINK_MS = 15 * 60_000
/** The key lives in a browser. */
const KEY_MS = 30 * 86_400_000
/** 256 bits. */
const TOKEN_DIGITS = 43
/** The chance that they give fewer digits than that is below 10^-90. */
const RANDOM_BYTES = 128

export interface SignIn extends SignInService {
  /** The token of a new link for an account; a former one is over. */
  issue(account: string): Promise<string>
}

export interface SignInOptions {
  readonly clock: Pick<Clock, "monotonicNow" | "now">
  readonly keys: Pick<KeyStorage, "createKey">
}

interface Link {
  readonly account: string
  readonly tokenSha256: string
  /** On the monotonic clock: a wall clock that is set back makes no link good again. */
  readonly endsAt: number
}

export function createSignIn({ clock, keys }: SignInOptions): SignIn {
  let link: Link | undefined
  return {
    async issue(account) {
      const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
      const token = toBase62Digits(random).slice(0, TOKEN_DIGITS)
      const tokenSha256 = await sha256(token)
      link = { account, tokenSha256, endsAt: clock.monotonicNow() + LINK_MS }
      return token
    },
    async signIn(token): Promise<SignedIn | undefined> {
      const asked = await sha256(token)
      const found = link
      if (found === undefined || !isEqual(asked, found.tokenSha256)) return undefined
      // Taken before the key is stored: two who come at once get one key.
      link = undefined
      if (clock.monotonicNow() >= found.endsAt) return undefined
      const { account } = found
      const now = clock.now()
      const expiresAt = now + KEY_MS
      try {
        const { key } = await createKey({ keys, account, scopes: API_KEY_SCOPES, now, expiresAt })
        return { account, key, expiresAt }
      } catch (error) {
        link ??= found
        throw error
      }
    },
  }
}
