/** Where there is nothing to show: says so, and what can be done about it. */
import type { ComponentChildren, JSX } from "preact"
import { Lamp } from "./lamp.tsx"
import "./empty.css"

export interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
}

export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Lamp />
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  )
}
