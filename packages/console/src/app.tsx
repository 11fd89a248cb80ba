/** The whole page: the sign-in page without a session, the shell around a page with one. */
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Shell } from "./design/shell.tsx"
import { Toasts } from "./design/toasts.tsx"
import { followTasks } from "./live/live-tasks.ts"
import { PageOutlet } from "./router/page-outlet.tsx"
import { hasScope } from "./session/me.ts"
import { OfflineBanner } from "./session/offline-banner.tsx"
import { session } from "./session/session.ts"
import { SignInPage } from "./session/sign-in-page.tsx"

export function App(): JSX.Element {
  const { value } = session
  const mayRead = hasScope("tasks:read") === true
  useEffect(() => {
    if (value === undefined || !mayRead) return undefined
    const abort = new AbortController()
    followTasks(value.client, abort.signal).catch(() => {
      // The service has refused the stream for good: pages show what they load.
    })
    return () => abort.abort()
  }, [value, mayRead])
  return (
    <>
      <OfflineBanner />
      {value === undefined ? (
        <SignInPage />
      ) : (
        <Shell key={value.id}>
          <PageOutlet />
        </Shell>
      )}
      <Toasts />
    </>
  )
}
