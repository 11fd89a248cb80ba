/** What the upstream and its channel say to each other: JSON over HTTP, one connection a call. */
export type CreateAnswer =
  | { readonly state: "created"; readonly operation: string }
  | { readonly state: "completed"; readonly operation: string; readonly bytes: number }
  | { readonly state: "refused"; readonly isBilled: boolean }
  /** Declared to mean that nothing was created. */
  | { readonly state: "busy" }

export type PollAnswer =
  | { readonly state: "running"; readonly progress: number; readonly pollAfterMs?: number }
  | { readonly state: "completed"; readonly bytes: number }
  | { readonly state: "refused"; readonly isBilled: boolean }
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
export const SUBMIT_TIMEOUT_MS = 250
