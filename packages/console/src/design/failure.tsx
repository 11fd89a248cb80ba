/** What could not be done, in words, with the request's id to ask for help with and a way to try again. */
import { isApiError } from "@safelight/client"
import type { JSX } from "preact"
import { Button } from "./button.tsx"
import "./empty.css"

export interface FailureProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

export function Failure({ error, onRetry }: FailureProps): JSX.Element {
  const requestId = isApiError(error) ? error.requestId : undefined
  return (
    <div class="card failure" role="alert">
      <p>{toSentence(error)}</p>
      {requestId !== undefined && (
        <p class="small soft">
          Request <code>{requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <Button icon="again" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** For people: the service's own words where it gave some. */
export function toSentence(error: unknown): string {
  if (isApiError(error)) {
    if (error.code === "no_answer") return "The service can’t be reached."
    if (error.code === "insufficient_scope") return `Your key may not do this: ${error.message}`
    return error.message
  }
  return error instanceof Error ? error.message : "Something went wrong."
}
