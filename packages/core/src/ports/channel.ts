/**
 * A backend that can serve models. Outcomes are data; a channel throws only if the outside
 * failed, and a throw from `submit` leaves the outcome unknown unless the error says otherwise. A
 * capability is the presence of a method (design §5, §6).
 */
import type { ArtifactKind } from "../models/artifact-kind.ts"
import type { Json } from "../values/canonical-json.ts"
import type { ParameterValues } from "../models/model.ts"
import type { FailureCode } from "../task/failure.ts"
import type { AbortSignalLike } from "./clock.ts"
import type { TaskInputs } from "./task-inputs.ts"

/** What a repeated submission with the same upstream key means. */
export type Submission =
  /**
   * The same operation, for `keyTtlMs` after the first. That is what the upstream remembers a key for,
   * less how long a request may be on its way and what the clocks of two processes may differ by.
   */
  | { readonly kind: "keyed"; readonly keyTtlMs: number }
  /**
   * `find` tells whether the key exists, once no request can be on its way any more and what it made
   * is listed, `listLagMs` later; 0 by default.
   */
  | { readonly kind: "lookup"; readonly longestRequestMs: number; readonly listLagMs?: number }
  /** Perhaps a second purchase: never repeated while in doubt. */
  | { readonly kind: "unkeyed" }

export interface Channel {
  readonly name: string
  /** Ids of the models it serves. */
  readonly models: readonly string[]
  readonly submission: Submission
  /** Tasks it works on at once, over all nodes that share a database. */
  readonly concurrency: number
  /**
   * Requests of `submit` in any minute, over all nodes that share a database; as many as there is room
   * for by default.
   */
  readonly requestsPerMinute?: number
  /**
   * Work costs nothing, as on the operator's own machine: they may then allow that a doubtful task is
   * submitted again. False by default.
   */
  readonly isFree?: boolean
  /** How long one `submit` may take before its outcome counts as unknown. */
  readonly submitTimeoutMs: number
  /**
   * How long after the call of `submit` its request may still be sent; `submitTimeoutMs` by default. A call begins
   * under a lease that holds; whoever takes its task over waits for this besides, before it asks for the key.
   */
  readonly sendWithinMs?: number
  /**
   * The pause between two polls, which grows with each poll and is at least `pollAfterMs` of the outcome.
   * By default every pause is `pollAfterMs`.
   */
  readonly pollEvery?: PollEvery
  /** Callbacks come verified, so that fewer polls do; never none, since a callback may be lost. */
  readonly hasVerifiedCallbacks?: true
  /** The text without the channel's own keys: what it repeats of its provider's words is kept and shown to people. */
  hideSecrets?(text: string): string
  /** Needed if outputs are URLs. */
  readonly outputOrigins?: OutputOrigins
  /**
   * It passes tasks on to a service like this one, which may pass them back: each request says how many
   * services the task has passed (`hops`).
   */
  readonly relays?: true
  /**
   * Whether the request can be expressed exactly; every request by default. Pure, and the same each
   * time. A channel is not asked for what it does not take.
   */
  accepts?(request: Pick<ChannelRequest, "model" | "parameters">): true | Ineligible
  /**
   * Asks for the work. Called at most once for each upstream key, unless the channel is `keyed`. Rejects if
   * the outside failed: the outcome then is unknown, unless the error says `isUndone`.
   */
  submit(request: ChannelRequest): Promise<SubmitOutcome>
  /**
   * The state of the work. Any process may ask, at any time, also after a restart. May wait for a
   * change, until the signal aborts. Rejects if the outside failed: the engine asks again.
   */
  poll(request: PollRequest): Promise<PollOutcome>
  /**
   * The operation under an upstream key, or null if the channel proves that there is none. Rejects if
   * neither can be said now: the engine asks again.
   */
  find?(request: FindRequest): Promise<{ readonly operation: Json } | null>
  /** Stops the work as far as it can be stopped. Rejects if the outside failed: whether it stopped is unknown. */
  cancel?(request: PollRequest): Promise<CancelOutcome>
  /**
   * What a provider's callback says, verified before any of it is used; the same each time it
   * comes. If the method is absent, no request carries a `callback`. Rejects with an error that is
   * `retryable` if the callback can't be verified for now: the provider then sends it again.
   */
  receive?(request: CallbackRequest): Promise<CallbackOutcome>
  /** Whether the first answer to this request comes at once, so that a 202 may wait for it. */
  answersAtOnce?(request: Pick<ChannelRequest, "model" | "parameters">): boolean
  /**
   * Whether it can be reached and takes its credentials, found out without buying anything. It limits its
   * own time, and never rejects: a failure is its answer.
   */
  check?(): Promise<ChannelCheck>
  /** Frees what the channel holds: threads, connections. Twice is safe. */
  close?(): Promise<void>
}

export interface ChannelRequest {
  readonly task: string
  /**
   * The same for all tasks of one account and no other, and not its name: a channel can share what
   * it has fairly without knowing who its callers are.
   */
  readonly account: string
  readonly model: string
  /** What the task's model makes, the main kind first; absent if this process does not know the model. */
  readonly artifacts?: readonly ArtifactKind[]
  /** Checked, defaults applied. */
  readonly parameters: ParameterValues
  /** The task's id and the key's number from 1, as in `ID.1`. */
  readonly upstreamKey: string
  /** The media that the parameters refer to. */
  readonly inputs: TaskInputs
  /** Of a submission: where the provider may call back about it; absent if it can't. */
  readonly callback?: CallbackAddress
  /** Of a submission: an earlier one under the same key is in doubt. */
  readonly isRepeat?: true
  /** Of a submission to a channel that relays: how many services passed the task on; none if absent. */
  readonly hops?: number
  /** Of a submission to a channel that relays: the span of this call, if it is traced. */
  readonly traceparent?: string
  readonly signal: AbortSignalLike
}

/** By its key alone: what was written for the task may be erased while it is in doubt. */
export type FindRequest = Pick<
  ChannelRequest,
  "task" | "account" | "model" | "upstreamKey" | "signal"
>

export interface PollEvery {
  readonly shortestMs: number
  readonly longestMs: number
}

/** One for each upstream key, and the same at each repeat of it. */
export interface CallbackAddress {
  /** It can't be guessed, and anybody who knows it may call: only the provider is given it. */
  readonly url: string
  /** 43 base64url digits, for a provider that signs with a secret of the caller's. */
  readonly secret: string
}

/** A callback as it came to the address of `upstreamKey`. */
export interface CallbackRequest {
  readonly model: string
  readonly upstreamKey: string
  /** The one of its `CallbackAddress`. */
  readonly secret: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** What the channel added to the address as a query; absent for nothing. Whoever called may have changed it. */
  readonly query?: Readonly<Record<string, string>>
  /** Byte for byte, as signatures need it. */
  readonly body: Uint8Array
  readonly signal: AbortSignalLike
}

export type CallbackOutcome =
  /**
   * The provider surely sent it. `operation` is the work that its call under this key created, in a form
   * that `poll` takes; absent if the callback does not name it.
   */
  | { readonly kind: "verified"; readonly operation?: Json }
  /** Nobody vouches for what it says: it is a reason to ask, and no more. */
  | { readonly kind: "hint" }
  /** It is about no work. */
  | { readonly kind: "ignored" }
  /** The provider did not send it so, or not now. */
  | { readonly kind: "forged" }

export interface PollRequest extends Omit<ChannelRequest, "callback" | "inputs" | "parameters"> {
  /**
   * As in `submit`; undefined once they were erased. A channel that needs them to ask refuses the work.
   */
  readonly parameters: ParameterValues | undefined
  readonly operation: Json
  /** What was last recorded, so that a long poll can wait for more. */
  readonly progress: number
}

/** What a check found; `reason` is in words for people and holds no secret. */
export type ChannelCheck =
  /** It answers; `unproved`: no request that buys nothing shows whether it takes the key. */
  | { readonly kind: "ready"; readonly key: "taken" | "unproved" | "none" }
  /** It does not take the credentials. */
  | { readonly kind: "refused"; readonly reason: string }
  /** It can't be reached, or its answer says nothing. */
  | { readonly kind: "unavailable"; readonly reason: string }

/** A request that a channel can't express. */
export interface Ineligible {
  readonly kind: "ineligible"
  /** In words for people, without anything of the request's own: `resolution 1080p is not offered`. */
  readonly reason: string
  /** Which parameter it is about, as the request names it. */
  readonly param?: string
}

/** The work was completed. */
export interface Completed {
  readonly kind: "completed"
  /** The handle, if `submit` answers with work that is complete already. */
  readonly operation?: Json
  readonly outputs: readonly ChannelOutput[]
  /** Measured durations of the reference videos, in request order. */
  readonly inputVideosMs?: readonly number[]
  /** Absent if the provider reported none. */
  readonly cost?: ProviderCost
  /** How many tokens the provider says that it used, for models that are billed by them. */
  readonly tokens?: number
}

/**
 * What a provider says it charged, in the unit that it says it in: `usd` is money, any other name is the
 * provider's own, such as `credits`. Kept for the operator; no account sees it.
 */
export interface ProviderCost {
  /** Finite and not negative; recorded in millionths of the unit. */
  readonly amount: number
  readonly unit: string
}

/** Copied into artifact storage before the task succeeds; tried again for as long as it can be fetched. */
export type ChannelOutput = OpenedOutput | LinkedOutput

interface ExpectedOutput {
  /** Of the bytes, as 64 lower-case hexadecimal digits; what has another is fetched again. */
  readonly sha256?: string
}

/** What the channel itself has the bytes of. */
export interface OpenedOutput extends ExpectedOutput {
  /** If the model makes several kinds, it says which of them this is. */
  readonly mimeType: string
  /** Measured from the media; a video or a sound without it is measured by the engine's inspector. */
  readonly durationMs?: number
  /** All of the bytes, from the first one at each call; leaving the loop early closes their source. */
  open(signal: AbortSignalLike): AsyncIterable<Uint8Array>
}

/** What lies at a URL. The engine fetches it, tells its type and measures it. */
export interface LinkedOutput extends ExpectedOutput {
  readonly url: string
  /** Sent along to that host alone. */
  readonly headers?: Readonly<Record<string, string>>
  /** From when on it can't be fetched any more, ms; the output that ends first is fetched first. */
  readonly expiresAt?: number
}

/** Where the outputs of a channel may be fetched from, as `MediaRequest` means it. */
export interface OutputOrigins {
  readonly hosts: readonly string[]
  readonly trustedOrigins?: readonly string[]
}

/**
 * The work will not happen. A keyed channel gives this answer to a repeat only if it is the answer to the
 * key; a repeat that was turned away before the key was looked at is `not-created`.
 */
export interface Refused {
  readonly kind: "refused"
  readonly code: FailureCode
  /** Our words for the client; a provider's own go into `providerWords`. */
  readonly message?: string
  /** Kept among the side records, erasable, never in an event. */
  readonly providerWords?: string
  /**
   * What the provider charges for it all the same: absent for nothing, `maybe` if that is not known, and otherwise
   * the counts. The account is charged for counts alone, if the task ends with this refusal.
   */
  readonly billed?: "maybe" | { readonly images: number; readonly outputVideoMs: number }
  /** In money or a unit of the provider's; without it the cost of counts is computed, and that of a `maybe` unknown. */
  readonly cost?: ProviderCost
  /**
   * False: another channel may take the task, and this one is not asked for it again. The engine decides
   * about a refusal for content.
   */
  readonly isFinal?: boolean
}

/** Proved: nothing was created, or nothing was produced that is charged for. Another attempt may follow. */
export interface NotCreated {
  readonly kind: "not-created"
  /** Our code for what was seen. */
  readonly reason: string
  readonly retryAfterMs?: number
  /**
   * The reason lies in this request alone: other requests would have been taken, so that it does not
   * count against the channel.
   */
  readonly isAboutRequest?: true
  /** Only the channel's operator can fix it: its account has no money, or its key no right. */
  readonly needsOperator?: true
  /** As of a refusal: kept among the side records, and shown to operators alone. */
  readonly providerWords?: string
  /** Of the failed attempt, if the provider reports one; no account is charged for it. */
  readonly cost?: ProviderCost
}

/**
 * Proved: nothing was created, since the channel has no room for now. It gets no new task for a while,
 * and that does not count against it.
 */
export interface Busy {
  readonly kind: "busy"
  /** Our code for what was seen. */
  readonly reason: string
  readonly retryAfterMs?: number
}

/**
 * The key is known, and its request is still being accepted: the same key is to be sent again. For keyed
 * channels alone.
 */
export interface Pending {
  readonly kind: "pending"
}

export interface Accepted {
  readonly kind: "accepted"
  /**
   * The channel's own handle on the work; plain JSON other than null, no secrets. Two that have one
   * text as their `id` are handles on the same work.
   */
  readonly operation: Json
}

export interface Running {
  readonly kind: "running"
  /** 1 to 99, or undefined if the channel does not tell. */
  readonly progress?: number
  readonly pollAfterMs: number
}

/**
 * The outcome of a cancellation. `stopped`: the work makes nothing any more. `too-late`: it is complete or
 * will be, and may be fetched and billed. `unknown`: the answer proves neither, such as one that only
 * acknowledges the request.
 */
export type CancelOutcome = "stopped" | "too-late" | "unknown"

export type SubmitOutcome = Accepted | Completed | Refused | NotCreated | Busy | Pending
export type PollOutcome = Running | Completed | Refused | NotCreated
