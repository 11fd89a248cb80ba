/**
 * The media that a task's parameters refer to, as a channel hands them on: by a link that a provider
 * can fetch, or opened for an upload. A channel gets them with the submission alone, and only what the
 * parameters name; where an address leads is judged when it is opened, by the guarded fetch.
 */
import type { AbortSignalLike } from "./clock.ts"
import type { Media } from "./media-source.ts"

export interface TaskInputs {
  /**
   * An address at which anybody who has it can fetch what `url` names, until the task's end: for a data
   * URL one of this service, the same each time, so that a repeat asks for the same; a caller's own
   * http(s) URL as it is. Undefined where the service has no public address. Throws a TypeError where
   * the task's parameters don't hold `url`.
   */
  link(url: string): Promise<string | undefined>
  /**
   * Opens what `url` names, of the kind that its parameter takes. Rejects as `MediaSource.open` does,
   * within bounds of the engine's where `maxBytes` is greater or missing. Throws a TypeError where the
   * task's parameters don't hold `url`. Safe to repeat.
   */
  open(request: OpenInputRequest): Promise<Media>
}

export interface OpenInputRequest {
  /** http(s) or data, exactly as it stands in the parameters. */
  readonly url: string
  readonly maxBytes?: number
  readonly signal: AbortSignalLike
}
