/** What the upstream and its channel say to each other: JSON over HTTP, one connection a call. */
export interface Products {
  /** Of each picture, or of the film. */
  readonly bytes: readonly number[]
  readonly isFilm: boolean
  /** Of each reference video, as much as was processed. */
  readonly inputVideosMs: readonly number[]
}

export interface Refusal {
  readonly state: "refused"
  /** Null where nothing was billed. */
  readonly billed: { readonly images: number; readonly outputVideoMs: number } | null
  readonly words: string
}

export type CreateAnswer =
  | { readonly state: "created"; readonly operation: string }
  | ({ readonly state: "completed"; readonly operation: string } & Products)
  | Refusal
  /** Declared to mean that nothing was created. */
  | { readonly state: "busy" }

export type PollAnswer =
  | { readonly state: "running"; readonly progress: number; readonly pollAfterMs?: number }
  | ({ readonly state: "completed" } & Products)
  | Refusal
  | { readonly state: "nothing" }
  /** It was cancelled. */
  | { readonly state: "stopped" }

export interface CancelAnswer {
  readonly outcome: "stopped" | "too-late" | "unknown"
}

/** No request to create is carried out later than this after it left: what a look-up relies on. */
export const LONGEST_REQUEST_MS = 100

/** How long work that takes its time is left alone between two polls. */
export const WORK_POLL_MS = 200

/** How long a poll waits for a change before it tells how things stand. */
export const LINGER_MS = 2_000

/** Past this a call of `submit` is in doubt. */
export const SUBMIT_TIMEOUT_MS = 400
