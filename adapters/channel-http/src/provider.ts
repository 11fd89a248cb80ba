/**
 * A provider's protocol as plain data and small pure functions; everything that is the same for all of
 * them (one request a purchase, time-outs, what proves nothing, credentials, hosts) is the interpreter's.
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
  /** Undefined where the body is no JSON. */
  readonly json: Json | undefined
  /** `Retry-After` in milliseconds, from seconds or a date. */
  readonly retryAfterMs: number | undefined
}

/** How the URLs of a parameter are put where the provider does not take them as they are. */
export interface InputRule {
  /**
   * `link`: a data URL becomes an address of this service, the same each time, where it has a public one.
   * `upload`: a data URL is uploaded. `inline`: what lies elsewhere becomes a data URL.
   */
  readonly by: "link" | "upload" | "inline"
  /** Shorter data URLs go along as they are. */
  readonly fromCharacters?: number
}

/** What a provider can be handed here. */
export interface InputWays {
  /** Whether the service has a public address, so that a data URL can become one. */
  readonly canLink: boolean
}

export interface ProviderModel {
  /** What can't be expressed exactly is not taken; everything by default. */
  readonly accepts?: (parameters: ParameterValues, ways: InputWays) => true | Ineligible
  /** By parameter; every other one goes along as it is. `accepts` is asked before, `toRequest` after. */
  readonly inputs?: Readonly<Record<string, InputRule>>
  readonly toRequest: (
    parameters: ParameterValues,
    upstreamKey: string,
    asked: Pick<ChannelRequest, "model" | "hops">,
  ) => ProviderRequest
}

/** What the answer to a purchase proves. */
export type CreateOutcome = Accepted | Completed | Refused | NotCreated | Busy | Pending

/**
 * Keys are honoured, and for how long nobody states. Unkeyed, until whoever runs the channel says how
 * long a key lives.
 */
export interface KeyedUnstated {
  readonly kind: "keyed-unstated"
}

/** Sends a request that buys nothing, with the credentials. Rejects with `channel-unavailable`. */
export type Send = (request: ProviderRequest) => Promise<Reply>

/** A request that buys nothing, and what its answer says of the key. */
export interface KeyCheck {
  readonly request: ProviderRequest
  /** Whether the key is taken; undefined where the answer does not tell. */
  readonly readKey: (reply: Reply) => boolean | undefined
}

/** For what takes more than one request to find out; `models` are those that the channel serves. */
export type Check = (send: Send, models: readonly string[]) => Promise<ChannelCheck>

export interface Provider {
  readonly name: string
  /** Where it is absent, whoever runs the channel has to name it. */
  readonly baseUrl?: string
  /** The environment variable that commonly holds its key. */
  readonly keyVariable: string
  /** The header that says who calls. */
  readonly authorize: (key: string) => Readonly<Record<string, string>>
  /** Where else its own URLs may lead, with credentials; beside the base's host. `*.name` is any below it. */
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
  /** Any other model that whoever runs the channel names; none by default. */
  readonly otherModels?: ProviderModel
  /** As `Channel.relays`. */
  readonly relays?: true
  readonly concurrency: number
  /** Purchases in any minute, where the provider bounds them; polls don't count. */
  readonly requestsPerMinute?: number
  /** It costs nothing, as a machine of one's own: an operator may then allow that doubts are repeated. */
  readonly isFree?: true
  readonly submitTimeoutMs: number
  /** Resolves to the URL that names what was uploaded. Needed where an input is put by `upload`. */
  readonly upload?: (input: { readonly content: Blob }, send: Send) => Promise<string>
  /**
   * What the answer proves; undefined: nothing, and the purchase is in doubt. Of a 5xx or a 408 only
   * what shows that the work was taken in is believed.
   */
  readonly readCreate: (reply: Reply) => CreateOutcome | undefined
  /** How the work stands; undefined where the answer does not tell, and it is asked again. */
  readonly poll: (operation: Json, send: Send) => Promise<PollOutcome | undefined>
  /** Absent where it has none, or none that could be asked for with a purchase. */
  readonly webhook?: Webhook
  /** Between two polls; from 0.5 to 15 s by default, and never below an outcome's `pollAfterMs`. */
  readonly pollEvery?: PollEvery
  /**
   * Media come as base64 in its answers: what it made, or what a request held that it repeats. Without
   * it an answer holds 1 MiB at most, but for that to a purchase.
   */
  readonly answersHoldMedia?: true
  /**
   * What it says it charged: in its last answer about the work, or in what the operation keeps of the
   * answer to the purchase. Asked at the end of the work; without it the provider never tells.
   */
  readonly readCost?: (
    reply: Reply | undefined,
    operation: Json | undefined,
  ) => ProviderCost | undefined
  /** Stops the work as far as it can be stopped. */
  readonly cancel?: (operation: Json, send: Send) => Promise<CancelOutcome>
  /** Without it a check tells only that the address answers. */
  readonly check?: KeyCheck | Check
  /** Of a lookup: the operation under the key, null where there surely is none. */
  readonly find?: (
    request: { readonly model: string; readonly parameters: ParameterValues; readonly key: string },
    send: Send,
  ) => Promise<{ readonly operation: Json } | null>
}

/** Throws `invalid-configuration` where a declaration claims what can't be. */
export function defineProvider(provider: Provider): Provider {
  const { baseUrl, find, models, name, outputHosts, outputsNeedKey, submission } = provider
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
    throw invalid(provider, "needs a name of a-z, 0-9 and -")
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw invalid(provider, "has a baseUrl that is none")
  }
  if (Object.keys(models).length === 0) throw invalid(provider, "serves no model")
  // With the key they lie at its own address.
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

/** Undefined where it has no such model. */
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
  // A repeat would name another URL, and so ask for something else under the same key.
  if (submission.kind !== "unkeyed") throw invalid(provider, "honours keys and can't upload")
}

function invalid({ name }: Provider, why: string): SafelightError {
  return new SafelightError({
    code: "invalid-configuration",
    message: `provider ${name} ${why}`,
  })
}
