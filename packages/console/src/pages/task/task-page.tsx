/** One task. */
import type { JSX } from "preact"
import type { PageProps } from "../../router/pages.ts"
import { stateDiagram } from "virtual:state-diagram"

export function Page({ rest: [id = ""] }: PageProps): JSX.Element {
  return (
    <div>
      {id} {stateDiagram.width}
    </div>
  )
}
