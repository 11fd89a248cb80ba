/** The channels of a service, as its configuration has them. */
import {
  COST_MEMBERS,
  fields,
  upstreamSchema,
  type PollEvery,
  type UnitCost,
  type Upstream,
} from "@safelight/core"
import * as v from "valibot"

/** One channel of the file, with its type or its module. */
export interface ChannelSettings {
  /** `studio`, `comfyui`, or a provider that is built in. */
  readonly type?: string
  /** Absolute path of a file that exports a provider, or a function that makes a channel. */
  readonly module?: string
  /** Its name in the log of each task, for ever; that of the type or the provider by default. */
  readonly name?: string
  /**
   * Public models that it may make, in a list or with how the provider makes each. By default all that the provider's
   * declaration makes, and those whose files name the provider.
   */
  readonly models?: readonly string[] | Readonly<Record<string, Upstream>>
  /** Lower tiers are asked first. */
  readonly tier?: number
  /** Its share within its tier. */
  readonly weight?: number
  /** Tasks at once, over all nodes. */
  readonly concurrency?: number
  /** Purchases in any minute, over all nodes. */
  readonly requestsPerMinute?: number
  /** For a channel that costs nothing: a call whose outcome is unknown is made again. */
  readonly repeat?: boolean
  /** The server at `baseUrl` is one's own and costs nothing. */
  readonly isFree?: boolean
  /** Hosts of its outputs that the provider's declaration does not know. */
  readonly outputHosts?: readonly string[]
  /** In place of the provider's own address. */
  readonly baseUrl?: string
  /** The environment variable that holds its key, in place of the usual one. */
  readonly keyVariable?: string
  /** How long an idempotency key is valid, if the provider honours keys and doesn't state it. */
  readonly keyTtlMs?: number
  /** By model, what a provider charges that reports no money; US dollars in micro-units. */
  readonly costs?: Readonly<Record<string, UnitCost>>
  /** Of a ComfyUI server: by public model, the absolute path of its workflow. */
  readonly workflows?: Readonly<Record<string, string>>
  /** Of a ComfyUI server: the environment variable that holds the key of its partner nodes. */
  readonly partnerKeyVariable?: string
  /** The environment variable that holds the secret of its webhooks, in place of the usual one. */
  readonly webhookSecretVariable?: string
  /** Between two polls, in place of the provider's own. */
  readonly pollEvery?: PollEvery
}

const name = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, "expected a name of letters, digits, '.', '_' and '-'"),
)
/** Spelt as in a parsed URL, with which it is compared. */
const host = v.pipe(
  v.string(),
  v.regex(
    /^(?:(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/,
    "expected a host in lower case without a port, such as media.example or *.media.example",
  ),
)
const notAnUrl = "expected an http or https URL without a user, a query or a fragment"
/** Whether the URL has no credentials: those have variables of their own, and URLs are recorded. */
function isPlainUrl(address: string): boolean {
  const { password, protocol = "", username } = URL.parse(address) ?? {}
  return /^https?:$/.test(protocol) && username === "" && password === "" && !/[?#]/.test(address)
}
const whole = (max: number): v.GenericSchema<number> => {
  const message = `expected a whole number from 1 to ${max}`
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(1, message),
    v.maxValue(max, message),
  )
}

const costsSchema = v.record(
  v.string(),
  fields(COST_MEMBERS),
  "expected an object with costs by model",
)
/** An operator's own file, relative to the configuration file. A bare name would be a package. */
export function modulePath(example: string): v.GenericSchema<string> {
  const message = `expected a path, such as ${example}`
  return v.pipe(v.string(message), v.regex(/^(\.{0,2}\/|[a-z]:\\)/i, message))
}

const notWorkflows = "expected a workflow file for each model"
const variable = v.pipe(
  v.string(),
  v.regex(/^[A-Z_][A-Z0-9_]*$/i, "expected the name of a variable"),
)

const notModels = "expected a list of models, or an object with the provider's own id for each"
const modelList = v.pipe(v.array(v.string(), notModels), v.nonEmpty("expected a model"))
const modelMapping = v.pipe(
  v.record(v.string(), upstreamSchema, notModels),
  v.check((mapping) => Object.keys(mapping).length > 0, "expected a model"),
)
const models = v.lazy((input): v.GenericSchema<unknown, NonNullable<ChannelSettings["models"]>> =>
  Array.isArray(input) ? modelList : modelMapping,
)

const settingsSchema = fields({
  type: v.exactOptional(v.string("expected a type, such as fal or studio")),
  module: v.exactOptional(modulePath("./my-provider.ts")),
  name: v.exactOptional(name),
  models: v.exactOptional(models),
  tier: v.exactOptional(whole(1_000)),
  weight: v.exactOptional(whole(1_000)),
  concurrency: v.exactOptional(whole(100_000)),
  requestsPerMinute: v.exactOptional(whole(1_000_000)),
  repeat: v.exactOptional(v.boolean("expected true or false")),
  isFree: v.exactOptional(v.boolean("expected true or false")),
  outputHosts: v.exactOptional(
    v.pipe(v.array(host, "expected a list of hosts"), v.nonEmpty("expected a host")),
  ),
  baseUrl: v.exactOptional(v.pipe(v.string(notAnUrl), v.check(isPlainUrl, notAnUrl))),
  keyVariable: v.exactOptional(variable),
  // A month: no provider is known to remember a key for longer.
  keyTtlMs: v.exactOptional(whole(2_592_000_000)),
  costs: v.exactOptional(costsSchema),
  workflows: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.string("expected a path, such as ./picture.json"), notWorkflows),
      v.check((workflows) => Object.keys(workflows).length > 0, notWorkflows),
    ),
  ),
  partnerKeyVariable: v.exactOptional(variable),
  webhookSecretVariable: v.exactOptional(variable),
  pollEvery: v.exactOptional(
    v.pipe(
      // Up to an hour: a task that is polled less often does not end in time.
      fields({ shortestMs: whole(3_600_000), longestMs: whole(3_600_000) }),
      v.check(({ shortestMs }) => shortestMs >= 100, "expected shortestMs of 100 or more"),
      v.check(
        ({ longestMs, shortestMs }) => shortestMs <= longestMs,
        "expected longestMs to be no less than shortestMs",
      ),
    ),
  ),
})

const channelSchema = v.pipe(
  settingsSchema,
  v.check(
    ({ module, type }) => (module === undefined) !== (type === undefined),
    "expected either a type, such as fal or studio, or a module",
  ),
  v.check(
    ({ baseUrl, isFree = false }) => !isFree || baseUrl !== undefined,
    "isFree is for a server of one's own, which baseUrl names",
  ),
  v.check(
    ({ isFree, outputHosts, type }) =>
      (type !== "studio" && type !== "comfyui") ||
      (isFree === undefined && outputHosts === undefined),
    "isFree and outputHosts are for providers, and not for the studio or comfyui",
  ),
  v.check(
    ({ models: named = [], type }) =>
      Array.isArray(named) || (type !== "studio" && type !== "comfyui"),
    "the studio and comfyui take models as a list: only providers have models of their own",
  ),
  v.check(
    ({ type, workflows }) => (type === "comfyui") === (workflows !== undefined),
    "expected workflows for the type comfyui, and for no other",
  ),
  v.check(
    ({ partnerKeyVariable, type }) => partnerKeyVariable === undefined || type === "comfyui",
    "partnerKeyVariable is for the type comfyui alone",
  ),
)

export const channelsSchema = v.pipe(
  v.array(channelSchema, "expected a list of channels"),
  v.nonEmpty("expected at least one channel"),
  v.check((channels) => {
    const names = channels.flatMap((channel) => channel.name ?? channel.type ?? [])
    return new Set(names).size === names.length
  }, "two channels have one name"),
)
