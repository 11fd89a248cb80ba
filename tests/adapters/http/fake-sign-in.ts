/** Signing in, with one token that is always good. */
import type { SignInService } from "@safelight/core"

export const GOOD_TOKEN = "a-good-token"

export function createFakeSignIn(failIfAsked: () => void): SignInService {
  return {
    async signIn(token) {
      failIfAsked()
      return token === GOOD_TOKEN
        ? { account: "default", key: "sl_live_fake", expiresAt: 60_000 }
        : undefined
    },
  }
}
