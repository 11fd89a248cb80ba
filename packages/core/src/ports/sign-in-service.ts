/** Signing in by a link that was shown once, where the service was started. */

export interface SignInService {
  /**
   * Exchanges the token of a link for a new API key; undefined if the token is wrong, used or too old, and
   * nothing tells which. Rejects as the storage does, and the token is then still good.
   */
  signIn(token: string): Promise<SignedIn | undefined>
}

export interface SignedIn {
  readonly account: string
  /** A secret, shown only now. */
  readonly key: string
  /** When the key ends, in milliseconds. */
  readonly expiresAt: number
}
