/** While something is loaded. */
import type { JSX } from "preact"
import "./empty.css"

export function Waiting(): JSX.Element {
  return (
    <div class="waiting" role="status">
      <span class="unseen">Loading</span>
      <span class="waiting-bar" />
      <span class="waiting-bar" />
      <span class="waiting-bar" />
    </div>
  )
}
