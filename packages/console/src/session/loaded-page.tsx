/** The page of one thing that is loaded: it waits, says what failed, or that there is no such thing, and shows it. */
import { isApiError } from "@safelight/client"
import type { ComponentChildren, JSX } from "preact"
import { Empty } from "../design/empty.tsx"
import { Failure } from "../design/failure.tsx"
import { Waiting } from "../design/waiting.tsx"
import type { Loading } from "./use-loaded.ts"

export interface LoadedPageProps<Value> {
  readonly loading: Loading<Value>
  /** The code of the error that says that it is not there, and what is said then. */
  readonly missing: {
    readonly code: string
    readonly title: string
    readonly words: ComponentChildren
  }
  readonly children: (value: Value) => JSX.Element
}

export function LoadedPage<Value>(props: LoadedPageProps<Value>): JSX.Element {
  const {
    children,
    loading: { reload, state },
    missing,
  } = props
  const { error, value } = state.value
  if (isApiError(error) && error.code === missing.code) {
    return (
      <Empty isPage title={missing.title}>
        {missing.words}
      </Empty>
    )
  }
  const failure = error !== undefined && <Failure error={error} onRetry={reload} />
  if (value === undefined) return failure || <Waiting />
  return (
    <div class="stack">
      {failure}
      {children(value)}
    </div>
  )
}
