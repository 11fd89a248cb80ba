/** What the service answers, generated from the schemas of its document: `npm run client:update`. */

export interface Task {
  readonly task_id: string
  /** The model the task was created with. */
  readonly model: string
  /** Poll until it is `succeeded` or `failed`; neither ever changes again. */
  readonly status: "queued" | "running" | "succeeded" | "failed"
  /** 0 while queued, never falling, 100 exactly when succeeded. 0 to 100. */
  readonly progress: number
  /** Unix time in seconds. */
  readonly created_at: number
  /** Unix time in seconds; 0 while the task is unfinished. */
  readonly finished_at: number
  readonly error: TaskFailure | null
  readonly links: {
    /** `/v1/tasks/{task_id}` */
    readonly self: string
    /** `/v1/tasks/{task_id}/artifacts` */
    readonly artifacts: string
  }
}

/** Why a task failed. */
export interface TaskFailure {
  readonly message: string
  readonly type: "generation_error" | "content_policy_error" | "invalid_request_error"
  readonly code:
    | "content_policy_violation"
    | "safety_checker_required"
    | "media_download_failed"
    | "media_too_large"
    | "media_too_small"
    | "unsupported_media_type"
    | "media_unreadable"
    | "provider_rejected"
    | "provider_unavailable"
    | "generation_timeout"
    | "no_output"
    | "upstream_outcome_unknown"
    | "task_cancelled"
    | "internal_error"
}

export interface TaskList {
  /** Newest first; a page may be short, or even empty, before the last. */
  readonly tasks: readonly Task[]
  /** What `cursor` takes to go on; null at the end of the list. */
  readonly next_cursor: string | null
}

export interface Artifact {
  /** `image_1`, `image_2`, … in order, or `video`. */
  readonly key: string
  readonly type: "image" | "video"
  readonly mime_type: string
  /** Where the bytes are, for who has the API key. With `access` in it, for whoever has the address, for a day: keep it private. */
  readonly content_url: string
  /** Unix time in seconds, from which on the bytes are gone for good; some are listed without. */
  readonly expires_at?: number
}

export interface ArtifactList {
  readonly task_id: string
  /** In order, expired ones too; empty where the task failed. */
  readonly artifacts: readonly Artifact[]
}

export interface ArtifactLink {
  /** Opens the artifact for whoever has it, without a key: keep it private. */
  readonly url: string
  /** Unix time in seconds, from which on it opens nothing. */
  readonly expires_at: number
}

export interface EventList {
  readonly task_id: string
  /** Oldest first. */
  readonly events: readonly {
    /** Its place in the log. At least 1. */
    readonly version: number
    readonly type:
      | "submitted"
      | "dispatched"
      | "accepted"
      | "doubted"
      | "deferred"
      | "progressed"
      | "succeeded"
      | "failed"
      | "expired"
    /** Unix milliseconds. */
    readonly at_ms: number
    readonly model?: string
    readonly reserved_micros?: number
    /** By then the task has ended. */
    readonly end_by_ms?: number
    /** From 1; a repeat after a doubt is one, too. */
    readonly attempt?: number
    /** Which one was asked. */
    readonly channel?: string
    /** Why that one, for people. */
    readonly because?: string
    /** What was seen, as a short code. */
    readonly reason?: string
    /** Unix milliseconds. */
    readonly retry_at_ms?: number
    /** 1 to 99. */
    readonly progress?: number
    readonly charge_micros?: number
    readonly artifact_keys?: readonly string[]
    readonly error?: TaskFailure
  }[]
}

export interface TaskUsage {
  readonly task_id: string
  readonly model: string
  readonly status: "queued" | "running" | "succeeded" | "failed"
  /** 0 while the task is unfinished. */
  readonly finished_at: number
  /** The prices it was accepted under. */
  readonly price_version: string
  /** Micro-units of the account's currency; null where no longer known. */
  readonly price: {
    readonly per_image_micros?: number
    readonly per_video_second_micros?: number
  } | null
  /** Held back until the task is finished, then 0. */
  readonly reserved_micros: number
  /** What it cost, in micro-units. */
  readonly charge_micros: number
  /** What was reserved for it at first: it costs at most that, whatever was used. */
  readonly charge_limit_micros: number
  /** Null where nothing was used, or not yet. */
  readonly usage: {
    readonly images: number
    /** Measured. */
    readonly output_video_ms: number
    /** Measured, in their order. */
    readonly input_videos_ms: readonly number[]
    /** As charged, all of them together. */
    readonly billed_input_ms: number
  } | null
}

export interface UsageReport {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Of the tasks that finished in the period. */
  readonly charge_micros: number
  /** Those of them that used something. */
  readonly tasks: number
  readonly charges: readonly {
    readonly model: string
    readonly price_version: string
    readonly tasks: number
    readonly images: number
    readonly output_video_ms: number
    readonly billed_input_ms: number
    readonly charge_micros: number
  }[]
  /** As it stands now, whatever the period. */
  readonly account: {
    /** Null where there is none. */
    readonly budget_micros: number | null
    /** Of all finished tasks. */
    readonly charged_micros: number
    /** Held back for unfinished tasks. */
    readonly reserved_micros: number
    readonly unfinished_tasks: number
  }
}

/** What every refusal is decided by. */
export type RefusalCode =
  | "missing_required_parameter"
  | "unknown_parameter"
  | "invalid_type"
  | "invalid_value"
  | "invalid_url"
  | "url_not_allowed"
  | "invalid_data_url"
  | "string_above_max_length"
  | "string_below_min_length"
  | "array_above_max_length"
  | "array_below_min_length"
  | "integer_above_max_value"
  | "integer_below_min_value"
  | "route_not_found"
  | "method_not_allowed"
  | "missing_api_key"
  | "invalid_api_key"
  | "api_key_revoked"
  | "api_key_expired"
  | "invalid_callback"
  | "insufficient_scope"
  | "account_suspended"
  | "insufficient_balance"
  | "unsupported_media_type"
  | "unsupported_content_encoding"
  | "request_too_large"
  | "request_timeout"
  | "headers_too_large"
  | "uri_too_long"
  | "malformed_request"
  | "invalid_json"
  | "duplicate_key"
  | "json_too_complex"
  | "model_not_found"
  | "task_not_found"
  | "task_not_finished"
  | "artifact_not_found"
  | "artifact_expired"
  | "not_found"
  | "precondition_failed"
  | "range_not_satisfiable"
  | "invalid_idempotency_key"
  | "idempotency_key_reused"
  | "idempotency_key_in_use"
  | "too_many_hops"
  | "rate_limit_exceeded"
  | "concurrency_limit_exceeded"
  | "storage_unavailable"
  | "service_unavailable"
  | "outcome_unknown"
  | "overloaded"
  | "internal_error"

/** The kind of refusal. */
export type RefusalType =
  | "invalid_request_error"
  | "not_found_error"
  | "authentication_error"
  | "permission_error"
  | "billing_error"
  | "conflict_error"
  | "artifact_expired"
  | "idempotency_error"
  | "rate_limit_error"
  | "api_error"
  | "overloaded_error"

/** What `list` is asked for. */
export interface ListQuery {
  /** Unix seconds: tasks whose `created_at` is that or more. */
  readonly created_after?: number | undefined
  /** Unix seconds: tasks whose `created_at` is less. */
  readonly created_before?: number | undefined
  /** Tasks of this status. */
  readonly status?: "queued" | "running" | "succeeded" | "failed" | undefined
  /** Tasks of this model; an unknown one is refused. */
  readonly model?: string | undefined
  /** The most tasks on a page. 1 to 100. Default `20`. */
  readonly limit?: number | undefined
}
