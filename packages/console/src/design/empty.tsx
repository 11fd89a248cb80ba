/** Where there is nothing to show: says so, and what can be done about it. */
import type { ComponentChildren, JSX } from "preact"
import { Lamp } from "./lamp.tsx"
import "./empty.css"

export interface EmptyProps {
  readonly title: string
  /** It is all that the page shows, so its title is the page's. */
  readonly isPage?: boolean
  readonly children?: ComponentChildren
}

export function Empty({ title, isPage = false, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Lamp />
      {isPage ? <h1>{title}</h1> : <p class="empty-title">{title}</p>}
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  )
}
