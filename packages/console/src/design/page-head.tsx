/** The beginning of a page: its title and, next to it, what can be done. */
import type { ComponentChildren, JSX } from "preact"

export interface PageHeadProps {
  readonly title: string
  /** What lies above the title: the way back. */
  readonly above?: ComponentChildren
  readonly children?: ComponentChildren
}

export function PageHead({ title, above, children }: PageHeadProps): JSX.Element {
  return (
    <div>
      {above}
      <div class="line spread">
        <h1>{title}</h1>
        {children !== undefined && <div class="line">{children}</div>}
      </div>
    </div>
  )
}
