/**
 * A provider's protocol: plain data and small pure functions. The channel that is made of it does everything that
 * all providers have in common: one request a purchase, time-outs, doubt, credentials, hosts.
 */
import {
  SafelightError,
  type Accepted,
  type Busy,
  type CancelOutcome,
  type ChannelCheck,
  type Completed,
  type Json,
  type MediaKind,
  type NotCreated,
  type Pending,
  type PollEvery,
  type PollOutcome,
  type ProviderCost,
  type Refused,
  type Submission,
} from "@safelight/core"
import type { GeneralModel, InputRule, ProviderModel, ProviderModels } from "./provider-model.ts"
import type { ProviderRequest, Reply, RequestToAuthorize, Send } from "./provider-request.ts"
import type { Webhook } from "./webhook.ts"

/** An outcome that the answer to a purchase proves. */
export type CreateOutcome = Accepted | Completed | Refused | NotCreated | Busy | Pending

/**
 * The provider honours keys and does not state for how long. The channel is unkeyed until its operator
 * says how long a key is valid.
 */
export interface KeyedUnstated {
  readonly kind: "keyed-unstated"
}

/**
 * The work is over, and this answer says in no known form what came of it. If it comes five times in a row,
 * it means `meaning`.
 */
export interface Unclear {
  readonly kind: "unclear"
  readonly answer: Reply
  readonly meaning: Completed | Refused | NotCreated
}

/** A request that buys nothing, and what its answer says of the key. */
export interface KeyCheck {
  readonly request: ProviderRequest
  /** Whether the key is valid; undefined if the answer does not say. */
  readonly readKey: (reply: Reply) => boolean | undefined
}

/** A check that takes more than one request; `models` are those that the channel serves, by the operator's names. */
export type Check = (send: Send, models: readonly string[]) => Promise<ChannelCheck>

export interface Provider {
  /** The channel's type in a configuration. */
  readonly name: string
  /** The name that people know it by; `name` by default. */
  readonly title?: string
  /** If it is absent, the operator of the channel has to name it. */
  readonly baseUrl?: string
  /** The environment variable that commonly holds its key. */
  readonly keyVariable: string
  /**
   * The headers that say who calls: asked for each request to its own hosts, a purchase, a poll and an output that
   * needs the key alike. It may be a promise, for which a request waits four seconds at most. If it rejects,
   * nothing is sent; an error that is not `retryable` is told to the operator.
   */
  readonly authorize: (
    key: string,
    request: RequestToAuthorize,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** Further hosts of its own to which credentials may go. `*.name` is any host below it. */
  readonly apiHosts?: readonly string[]
  /** Where its outputs are, in the form of `MediaRequest.hosts`. */
  readonly outputHosts: readonly string[]
  /**
   * Outputs at its own hosts are fetched with the credentials; without any by default. Their URL may be
   * a path of the base, like that of a request.
   */
  readonly outputsNeedKey?: true
  readonly submission: Submission | KeyedUnstated
  /** By the id of the public model. */
  readonly models: ProviderModels
  /** By the host of `baseUrl`, where that has the same models under ids of its own: by public model, the id. */
  readonly upstreamsAt?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * The one rule for any other model, by the provider's own id, to which the operator maps a public one: its
   * parameters come as the provider names them. Undefined for kinds that it does not make. None by default.
   */
  readonly toModel?: (model: GeneralModel) => ProviderModel | undefined
  /** By kind, how the media of those other models reach it; as the request holds them by default. */
  readonly mediaInputs?: Readonly<Partial<Record<MediaKind, InputRule>>>
  /** Whether it has a model, by a request that buys nothing; undefined if the answer doesn't say. */
  readonly hasModel?: (upstream: string, send: Send) => Promise<boolean | undefined>
  /** What `Channel.relays` says. */
  readonly relays?: true
  readonly concurrency: number
  /** The most purchases in any minute, if the provider bounds them; polls don't count. */
  readonly requestsPerMinute?: number
  /** It costs nothing, so an operator may let doubtful purchases be repeated: a machine of the operator's own. */
  readonly isFree?: true
  /** How long a purchase may go without its whole answer; after that its outcome is unknown. */
  readonly submitTimeoutMs: number
  /** Resolves to the URL of the upload. Required if an input rule is `upload`. */
  readonly upload?: (input: { readonly content: Blob }, send: Send) => Promise<string>
  /**
   * What the answer proves. Undefined if it proves nothing: the purchase is then in doubt. A 5xx or a 408
   * proves an acceptance and nothing else.
   */
  readonly readCreate: (reply: Reply) => CreateOutcome | undefined
  /**
   * In the code or the words of a refused purchase: its account has no money, for which `readCreate` is not
   * asked. A 402 is always that.
   */
  readonly outOfMoney?: RegExp
  /**
   * The state of the work; undefined if the answer does not report it, and then it is polled again. `model` is what the
   * channel serves by the rule of `toModel`.
   */
  readonly poll: (
    operation: Json,
    send: Send,
    model?: Pick<GeneralModel, "artifacts">,
  ) => Promise<PollOutcome | Unclear | undefined>
  /** Absent if it has no webhooks, or none that a purchase can request. */
  readonly webhook?: Webhook
  /** The pause between two polls: 0.5 to 15 s by default, and never below an outcome's `pollAfterMs`. */
  readonly pollEvery?: PollEvery
  /**
   * Its answers hold media in base64: outputs, or inputs of a request that they repeat. Without it an
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
  /** Stops the work if it can still be stopped. */
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
  // Outputs that need the key are at its own address.
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

function checkUploads(provider: Provider): void {
  const { mediaInputs = {}, models, submission, upload } = provider
  const own = Object.values(models).flatMap(({ inputs = {} }) => Object.values(inputs))
  const rules = [...own, ...Object.values(mediaInputs)]
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
