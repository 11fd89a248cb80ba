/**
 * Signs in by a one-time link, `#/sign-in/TOKEN`, as a first start prints it. The token leaves the address before it is
 * exchanged, so that neither the history nor a bookmark keeps it. The key stays in memory: nobody has asked to keep it.
 */
import { isApiError, signInByLink } from "@safelight/client"
import { effect } from "@preact/signals"
import { showToast } from "../design/toasts.tsx"
import { replaceRoute, route } from "../router/route.ts"
import { signIn } from "./session.ts"

/** From now on, since a link may also be opened in a tab that shows the page already. */
export function followSignInLinks(): void {
  effect(() => {
    const [place, token] = route.value.path
    if (place !== "sign-in" || token === undefined) return
    replaceRoute("#/")
    void exchange(token)
  })
}

async function exchange(token: string): Promise<void> {
  try {
    const { key } = await signInByLink({ url: location.origin, token })
    await signIn(key, false)
  } catch (error) {
    showToast(toSentence(error), { isFailure: true })
  }
}

function toSentence(error: unknown): string {
  if (!isApiError(error)) throw error
  if (error.code === "invalid_sign_in") {
    return "This link no longer signs in: it works once, for 15 minutes. Sign in with a key."
  }
  if (error.code === "no_answer") {
    return "The service did not answer, so the link may be used up. Open it again, or sign in with a key."
  }
  return error.message
}
