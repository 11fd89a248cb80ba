/**
 * A provider's protocol as plain data and small pure functions. Everything that all providers have in common
 * (one request a purchase, time-outs, doubt, credentials, hosts) is done by the channel made of it.
 */
import {
  SafelightError,
  type Accepted,
  type Busy,
  type CancelOutcome,
  type ChannelCheck,
  type ChannelRequest,
  type Completed,
  type Ineligible,
  type Json,
  type NotCreated,
  type ParameterValues,
  type Pending,
  type PollEvery,
  type PollOutcome,
  type ProviderCost,
  type Refused,
  type Submission,
} from "@safelight/core"
import type { Webhook } from "./webhook.ts"

/** A request to the provider, relative to its base unless `path` is an absolute URL of its own hosts. */
export interface ProviderRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json
  /** In place of `json`. */
  readonly form?: FormData
}

/** An answer in full. */
export interface Reply {
  readonly status: number
  /** By name in lower case; of several with one name the first. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the body is no JSON. */
  readonly json: Json | undefined
  /** `Retry-After` in milliseconds, from seconds or a date. */
  readonly retryAfterMs: number | undefined
}

/** How the URLs of a parameter are changed if the provider does not take them as they are. */
export interface InputRule {
  /**
   * `link`: a data URL becomes an address of this service, the same each time, if it has a public one.
   * `upload`: a data URL is uploaded. `inline`: an http(s) URL becomes a data URL.
   */
  readonly by: "link" | "upload" | "inline"
  /** Shorter data URLs are sent as they are. */
  readonly fromCharacters?: number
}

/** The ways in which inputs can reach a provider here. */
export interface InputWays {
  /** Whether the service has a public address, so that a data URL can become one. */
  readonly canLink: boolean
}

export interface ProviderModel {
  /** Whether the parameters can be expressed exactly; by default they can. */
  readonly accepts?: (parameters: ParameterValues, ways: InputWays) => true | Ineligible
  /** By parameter; the others are sent as they are. Applied after `accepts` and before `toRequest`. */
  readonly inputs?: Readonly<Record<string, InputRule>>
  readonly toRequest: (
    parameters: ParameterValues,
    upstreamKey: string,
    asked: Pick<ChannelRequest, "model" | "hops" | "traceparent">,
  ) => ProviderRequest
}

/** An outcome that the answer to a purchase proves. */
export type CreateOutcome = Accepted | Completed | Refused | NotCreated | Busy | Pending

/**
 * The provider honours keys and does not state for how long. The channel counts as unkeyed until its operator
 * says how long a key is valid.
 */
export interface KeyedUnstated {
  readonly kind: "keyed-unstated"
}

/**
 * The work is over, and this answer says in no known form what came of it. If it comes five times in a row,
 * it stands for `meaning`.
 */
export interface Unclear {
  readonly kind: "unclear"
  readonly answer: Reply
  readonly meaning: Completed | Refused | NotCreated
}

/** Sends a request that buys nothing, with the credentials. Rejects with `channel-unavailable`. */
export type Send = (request: ProviderRequest) => Promise<Reply>

/** A request that buys nothing, and what its answer says of the key. */
export interface KeyCheck {
  readonly request: ProviderRequest
  /** Whether the key is valid; undefined if the answer does not tell. */
  readonly readKey: (reply: Reply) => boolean | undefined
}

/** A check that takes more than one request; `models` are those that the channel serves. */
export type Check = (send: Send, models: readonly string[]) => Promise<ChannelCheck>

export interface Provider {
  readonly name: string
  /** If it is absent, the operator of the channel has to name it. */
  readonly baseUrl?: string
  /** The environment variable that commonly holds its key. */
  readonly keyVariable: string
  /** The header that says who calls. */
  readonly authorize: (key: string) => Readonly<Record<string, string>>
  /** Further hosts of its own to which credentials may go. `*.name` is any host below it. */
  readonly apiHosts?: readonly string[]
  /** Where its outputs lie, as `MediaRequest.hosts` names them. */
  readonly outputHosts: readonly string[]
  /**
   * Outputs at its own hosts are fetched with the credentials; without any by default. Their URL may be
   * a path of the base, as a request's is.
   */
  readonly outputsNeedKey?: true
  readonly submission: Submission | KeyedUnstated
  /** By the id of the public model. */
  readonly models: Readonly<Record<string, ProviderModel>>
  /** Any other model that the operator of the channel names; none by default. */
  readonly otherModels?: ProviderModel
  /** As `Channel.relays`. */
  readonly relays?: true
  readonly concurrency: number
  /** The most purchases in any minute, if the provider bounds them; polls don't count. */
  readonly requestsPerMinute?: number
  /** It costs nothing, as a machine of one's own does: an operator may then let doubtful purchases be repeated. */
  readonly isFree?: true
  /** How long a purchase may go without its whole answer; after that its outcome is unknown. */
  readonly submitTimeoutMs: number
  /** Resolves to the URL of the upload. Required if an input rule is `upload`. */
  readonly upload?: (input: { readonly content: Blob }, send: Send) => Promise<string>
  /**
   * What the answer proves. Undefined if it proves nothing: the purchase is then in doubt. After a 5xx or a
   * 408 only an outcome is believed that says that the work was accepted.
   */
  readonly readCreate: (reply: Reply) => CreateOutcome | undefined
  /**
   * In the code or the words of a refused purchase: its account has no money, for which `readCreate` is not
   * asked. A 402 is always that.
   */
  readonly outOfMoney?: RegExp
  /** The state of the work; undefined if the answer does not tell it, and then it is polled again. */
  readonly poll: (operation: Json, send: Send) => Promise<PollOutcome | Unclear | undefined>
  /** Absent if it has no webhooks, or none that a purchase can request. */
  readonly webhook?: Webhook
  /** The pause between two polls: 0.5 to 15 s by default, and never below an outcome's `pollAfterMs`. */
  readonly pollEvery?: PollEvery
  /**
   * Its answers hold media as base64: outputs, or inputs of a request that they repeat. Without it an
   * answer may have 1 MiB at most, except the answer to a purchase.
   */
  readonly answersHoldMedia?: true
  /**
   * The cost that the provider reports, in its last answer about the work or in the part of the answer to the
   * purchase that the operation keeps. Called at the end of the work; absent if it never reports any.
   */
  readonly readCost?: (
    reply: Reply | undefined,
    operation: Json | undefined,
  ) => ProviderCost | undefined
  /** Stops the work as far as it can be stopped. */
  readonly cancel?: (operation: Json, send: Send) => Promise<CancelOutcome>
  /** Without it a check proves only that the address answers. */
  readonly check?: KeyCheck | Check
  /** For a lookup: the operation that has the key; null proves that there is none. */
  readonly find?: (
    request: { readonly model: string; readonly key: string },
    send: Send,
  ) => Promise<{ readonly operation: Json } | null>
}

/** Throws `invalid-configuration` if a declaration contradicts itself or lacks something. */
export function defineProvider(provider: Provider): Provider {
  const { baseUrl, find, models, name, outputHosts, outputsNeedKey, submission } = provider
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
    throw invalid(provider, "needs a name of a-z, 0-9 and -")
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw invalid(provider, "has a baseUrl that is none")
  }
  if (Object.keys(models).length === 0) throw invalid(provider, "serves no model")
  // Outputs that need the key lie at its own address.
  if (outputHosts.length === 0 && outputsNeedKey !== true) {
    throw invalid(provider, "names no host of its outputs")
  }
  if (submission.kind === "lookup" && find === undefined) throw invalid(provider, "has no find")
  if (submission.kind === "keyed" && !(submission.keyTtlMs > 0)) {
    throw invalid(provider, "does not say how long a key lives")
  }
  checkUploads(provider)
  return provider
}

/** Undefined if it has no such model. */
export function findModel(
  { models, otherModels }: Pick<Provider, "models" | "otherModels">,
  id: string,
): ProviderModel | undefined {
  return Object.hasOwn(models, id) ? models[id] : otherModels
}

function checkUploads(provider: Provider): void {
  const { models, otherModels, submission, upload } = provider
  const all = [...Object.values(models), ...(otherModels === undefined ? [] : [otherModels])]
  const rules = all.flatMap(({ inputs = {} }) => Object.values(inputs))
  if (rules.every(({ by }) => by !== "upload")) return
  if (upload === undefined) throw invalid(provider, "has no upload")
  // A repeat would have another URL, and so be another request with the same key.
  if (submission.kind !== "unkeyed") throw invalid(provider, "honours keys and can't upload")
}

function invalid({ name }: Provider, why: string): SafelightError {
  return new SafelightError({
    code: "invalid-configuration",
    message: `provider ${name} ${why}`,
  })
}
