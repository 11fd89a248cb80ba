/**
 * The media that a task's parameters refer to, as a channel passes them on: by a link that a provider
 * can fetch, or opened for an upload. A channel gets them with the submission alone, and only those that
 * the parameters name. The guarded fetch checks an address at the moment when it is opened.
 */
import type { AbortSignalLike } from "./clock.ts"
import type { Media } from "./media-source.ts"

export interface TaskInputs {
  /**
   * An address at which anybody who has it can fetch what `url` names, until the task's end: for a data
   * URL one of this service, the same each time, so that a repeated request is the same; any other URL as it
   * is. Undefined if the service has no public address. The parameters name a video that was measured by such
   * an address of its copy already, where there is one. Rejects with a TypeError if
   * the task's parameters don't hold `url`.
   */
  link(url: string): Promise<string | undefined>
  /**
   * Opens what `url` names, of the kind that its parameter takes; of a video that was measured the copy. Rejects as `MediaSource.open` does; the
   * engine's own limit holds if `maxBytes` is greater or missing. Rejects with a TypeError if the task's
   * parameters don't hold `url`. Safe to repeat.
   */
  open(request: OpenInputRequest): Promise<Media>
}

export interface OpenInputRequest {
  /** http(s) or data, exactly as in the parameters. */
  readonly url: string
  readonly maxBytes?: number
  readonly signal: AbortSignalLike
}
