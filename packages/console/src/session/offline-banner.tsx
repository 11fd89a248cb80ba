/** Says that the service can't be reached. It disappears by itself with the next answer. */
import type { JSX } from "preact"
import { isOffline } from "./session.ts"
import "./offline-banner.css"

export function OfflineBanner(): JSX.Element {
  return (
    <div role="status" class="offline-place">
      {isOffline.value && (
        <p class="offline">
          The service can’t be reached. What you see may be old; this page goes on when it is back.
        </p>
      )}
    </div>
  )
}
