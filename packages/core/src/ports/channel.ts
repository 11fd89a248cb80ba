/**
 * A backend that can serve models. Outcomes are data; a channel throws only where the outside
 * failed, and a throw from `submit` leaves the outcome unknown unless the error says otherwise. A
 * capability is the presence of a method (design §5, §6).
 */
import type { Json } from "../canonical-json.ts"
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
   * Work costs nothing, as on a machine of one's own: whoever runs the service may then allow that what
   * is in doubt is asked for again. False by default.
   */
  readonly isFree?: boolean
  /** How long one `submit` may take before its outcome counts as unknown. */
  readonly submitTimeoutMs: number
  /**
   * How long after `submit` is called its request may still leave; as long as the call may take by
   * default. What leaves is never repeated by another process, so a lease has to outlive this alone,
   * and a call may take many minutes.
   */
  readonly sendWithinMs?: number
  /**
   * How long to wait between two polls, the longer the more there were, from an outcome's `pollAfterMs`
   * on, which is the least. By default that is what every pause is.
   */
  readonly pollEvery?: PollEvery
  /** Callbacks come verified, so that fewer polls do; never none, since a callback may be lost. */
  readonly hasVerifiedCallbacks?: true
  /** Needed where outputs are URLs. */
  readonly outputOrigins?: OutputOrigins
  /**
   * What it asks is a service like this one, which may ask this one in turn: it is told how many a
   * task has passed through, and tells the next (`hops`).
   */
  readonly relays?: true
  /**
   * Whether the request can be expressed exactly; every request by default. Pure, and the same each
   * time. A channel is not asked for what it does not take.
   */
  accepts?(request: Pick<ChannelRequest, "model" | "parameters">): true | Ineligible
  /** Asks for the work. Called at most once an upstream key, unless `keyed`. */
  submit(request: ChannelRequest): Promise<SubmitOutcome>
  /**
   * How the work stands. Any process may ask, at any time, also after a restart. May wait for a
   * change, bounded by the signal. A throw means it could not be told: it is asked again.
   */
  poll(request: PollRequest): Promise<PollOutcome>
  /** The operation under an upstream key, or null where the channel proves there is none. */
  find?(request: ChannelRequest): Promise<{ readonly operation: Json } | null>
  /** Stops the work as far as it can be stopped. A throw means that nobody knows whether it is. */
  cancel?(request: PollRequest): Promise<CancelOutcome>
  /**
   * What a provider's callback says, verified before anything of it is believed; the same each time it
   * comes. Where it is absent no request carries a `callback`. Rejects where it could not be verified
   * for now, with an error that is `retryable`: the provider then sends it again.
   */
  receive?(request: CallbackRequest): Promise<CallbackOutcome>
  /** Whether the first answer to this request comes at once, so that a 202 may wait for it. */
  answersAtOnce?(request: Pick<ChannelRequest, "model" | "parameters">): boolean
  /**
   * Whether it can be reached and takes its credentials, found out without buying anything. Bounded in
   * time by itself; what is wrong is its answer and no rejection.
   */
  check?(): Promise<ChannelCheck>
  /** Frees what the channel holds: threads, connections. */
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
  /** Checked, defaults applied. */
  readonly parameters: ParameterValues
  /** The task's id and the key's number from 1, as in `ID.1`. */
  readonly upstreamKey: string
  /** The media that the parameters refer to. */
  readonly inputs: TaskInputs
  /** Of a submission: where the provider may call back about it; absent where nobody could. */
  readonly callback?: CallbackAddress
  /** Of a submission: an earlier one under the same key is in doubt. */
  readonly isRepeat?: true
  /** Of a submission to a channel that relays: how many services passed the task on; none if absent. */
  readonly hops?: number
  readonly signal: AbortSignalLike
}

export interface PollEvery {
  readonly shortestMs: number
  readonly longestMs: number
}

/** One for each upstream key, and the same at each repeat of it. */
export interface CallbackAddress {
  /** Nobody can guess it, and whoever knows it may call: it is given to the provider alone. */
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
  /** Byte for byte, as signatures need it. */
  readonly body: Uint8Array
  readonly signal: AbortSignalLike
}

export type CallbackOutcome =
  /**
   * The provider surely sent it. `operation` is the work that its call under this key created, in a form
   * that `poll` takes; absent where the callback does not name it.
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
   * As in `submit`; undefined once they were erased. A channel that asks by its operation goes on as
   * before, one that can't refuses the work.
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
  /** The handle, where `submit` answers with work that is complete already. */
  readonly operation?: Json
  readonly outputs: readonly ChannelOutput[]
  /** Measured durations of the reference videos, in request order. */
  readonly inputVideosMs?: readonly number[]
  /** Absent where the provider told none. */
  readonly cost?: ProviderCost
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

/** Copied into artifact storage before the task succeeds, and tried again for as long as it can be had. */
export type ChannelOutput = OpenedOutput | LinkedOutput

interface ExpectedOutput {
  /** Of the bytes, as 64 lower-case hexadecimal digits; what has another is fetched again. */
  readonly sha256?: string
}

/** What the channel itself has the bytes of. */
export interface OpenedOutput extends ExpectedOutput {
  readonly mimeType: string
  /** Measured from the media; a video without it is measured by the engine's inspector. */
  readonly durationMs?: number
  /** All of the bytes, anew at each call; whoever leaves the loop early closes what is behind it. */
  open(signal: AbortSignalLike): AsyncIterable<Uint8Array>
}

/** What lies at a URL. The engine fetches it, tells its type and measures it. */
export interface LinkedOutput extends ExpectedOutput {
  readonly url: string
  /** Sent along to that host alone. */
  readonly headers?: Readonly<Record<string, string>>
  /** When it can't be had any more, ms; what is gone soonest is fetched first. */
  readonly expiresAt?: number
}

/** Where the outputs of a channel may be fetched from, as `MediaRequest` means it. */
export interface OutputOrigins {
  readonly hosts: readonly string[]
  readonly trustedOrigins?: readonly string[]
}

/**
 * It will not happen. A channel that honours keys says so of a repeat only where that is the answer to
 * the key; what was turned away before anybody looked at the key is `not-created`.
 */
export interface Refused {
  readonly kind: "refused"
  readonly code: FailureCode
  /** Our words for the client; a provider's own go into `providerWords`. */
  readonly message?: string
  /** Kept beside the log, erasable, never in an event. */
  readonly providerWords?: string
  /**
   * Present only where the channel was billed for it all the same, or may have been: nobody is charged
   * for a `maybe`, and what it cost is unknown unless `cost` tells it.
   */
  readonly billed?: "maybe" | { readonly images: number; readonly outputVideoMs: number }
  /** What it was billed. */
  readonly cost?: ProviderCost
  /**
   * False: another channel may take what this one refused, which is not asked for it again. The engine
   * has the last word on a refusal for content.
   */
  readonly isFinal?: boolean
}

/** Proved: nothing was created, or nothing was produced and billed. Another attempt may follow. */
export interface NotCreated {
  readonly kind: "not-created"
  /** Our code for what was seen. */
  readonly reason: string
  readonly retryAfterMs?: number
  /**
   * The reason lies in this request alone: others would have been taken, so it says nothing against
   * the channel and does not count towards leaving it alone.
   */
  readonly isAboutRequest?: true
  /** Where a failure was billed all the same. */
  readonly cost?: ProviderCost
}

/**
 * Proved: nothing was created, since the channel has no room for now. It is left alone for a while, and
 * that says nothing against it.
 */
export interface Busy {
  readonly kind: "busy"
  /** Our code for what was seen. */
  readonly reason: string
  readonly retryAfterMs?: number
}

/**
 * The key is known and what it asks for is still being taken in: the same key is to be sent again. For
 * channels that honour keys alone.
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
  /** 1 to 99, or undefined where the channel does not tell. */
  readonly progress?: number
  readonly pollAfterMs: number
}

/**
 * What came of asking for work to be stopped. `stopped`: it comes to nothing any more. `too-late`: it is
 * complete, or goes on to its end, and may be had and billed. `unknown`: the answer proves neither, such
 * as one that only takes the request in.
 */
export type CancelOutcome = "stopped" | "too-late" | "unknown"

export type SubmitOutcome = Accepted | Completed | Refused | NotCreated | Busy | Pending
export type PollOutcome = Running | Completed | Refused | NotCreated
