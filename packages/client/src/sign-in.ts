/** Signing in by a one-time link, before there is a key. */
import { isSignIn } from "./api/check-answers.ts"
import type { SignIn } from "./api/key-answers.ts"
import { checkService, type ClientOptions } from "./connection/client-options.ts"
import { createConnection } from "./connection/connection.ts"

export interface SignInOptions extends Omit<ClientOptions, "key"> {
  /** The end of the link, behind `#/sign-in/`. */
  readonly token: string
  readonly signal?: AbortSignal
}

/**
 * Exchanges the token of a link for a key. Sent once: a link is used by its first answer, even if that is lost.
 * Rejects with `invalid_sign_in` if the link is wrong, used or too old.
 */
export async function signInByLink({ token, signal, ...options }: SignInOptions): Promise<SignIn> {
  const request = {
    method: "POST",
    path: "/v1/sign-in",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
    signal,
  } as const
  return (await createConnection(checkService(options)).ask(request, isSignIn)).value
}
