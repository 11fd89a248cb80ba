/** The options, checked once at construction, and the numbers that can't be set. */
import {
  isHeaderSecret,
  isHostWithin,
  MODELS,
  POSITIVE,
  SafelightError,
  SILENT_LOG,
  takeIntegers,
  type Log,
  type Model,
} from "@safelight/core"

export interface ComfyUiOptions {
  /** By the id of a public model, the path of a workflow in ComfyUI's API format. */
  readonly workflows: Readonly<Record<string, string>>
  /** The server's address, which may have a path; http://127.0.0.1:8188 by default. */
  readonly baseUrl?: string
  /** The channel's name, by which tasks remember it. */
  readonly name?: string
  /** Prompts in its queue at once. It runs one after the other. */
  readonly concurrency?: number
  /**
   * For a proxy in front of the server, as a bearer token: ComfyUI itself takes no key. At Comfy Cloud it is sent as
   * `X-API-Key`.
   */
  readonly key?: string
  /** Of a Comfy account, which partner nodes of the workflows charge: the channel then is not free. */
  readonly partnerKey?: string
  /** The public models that `workflows` may name; by default core's. */
  readonly models?: readonly Model[]
  readonly log?: Log
}

export interface ComfyUiSettings {
  readonly workflows: Readonly<Record<string, string>>
  readonly baseUrl: URL
  readonly name: string
  readonly concurrency: number
  readonly key: string | undefined
  readonly partnerKey: string | undefined
  /** Whether its work costs nothing: it is charged by partner nodes, and by Comfy Cloud. */
  readonly isFree: boolean
  readonly models: readonly Model[]
  readonly log: Log
}

/** Durations in milliseconds. */
export const DEFAULTS = {
  name: "comfyui",
  baseUrl: "http://127.0.0.1:8188",
  concurrency: 1,
  // For uploads and the prompt: half of the engine's lease of a minute, which must hold when the prompt is
  // sent.
  sendWithinMs: 30_000,
  submitTimeoutMs: 60_000,
  // A server on the same network answers at little cost, and work takes seconds.
  pollMs: 1_000,
  queuedPollMs: 2_000,
  // A server that answers later is of no use for tasks either.
  checkMs: 15_000,
} as const

/** Throws `invalid-configuration`, naming the setting. */
export function checkOptions(options: ComfyUiOptions): ComfyUiSettings {
  const shared = { ...DEFAULTS, log: SILENT_LOG, models: MODELS, ...options }
  const { key, log, models, name, partnerKey, workflows } = shared
  const baseUrl = URL.parse(shared.baseUrl)
  if (baseUrl === null || !isPlain(baseUrl)) {
    const what = "baseUrl must be an http or https URL without a user, a query or a fragment"
    throw invalid(name, what)
  }
  const { concurrency } = takeIntegers({
    options,
    defaults: DEFAULTS,
    bounds: { concurrency: POSITIVE },
    prefix: `channel ${name}: `,
  })
  for (const each of [key, partnerKey]) {
    if (each === undefined || isHeaderSecret(each)) continue
    throw invalid(name, "its key is empty, or holds what no key does")
  }
  if (Object.keys(workflows).length === 0) {
    throw invalid(name, "workflows must name a file for a model")
  }
  const isFree = partnerKey === undefined && !isComfyCloud(baseUrl)
  return { workflows, baseUrl, name, concurrency, key, partnerKey, isFree, models, log }
}

/** Whether the server is Comfy's own. */
export function isComfyCloud({ hostname }: URL): boolean {
  return isHostWithin(hostname, "*.comfy.org")
}

function invalid(name: string, what: string): SafelightError {
  const message = `channel ${name}: ${what}`
  return new SafelightError({ code: "invalid-configuration", message })
}

function isPlain({ hash, protocol, search, username }: URL): boolean {
  return /^https?:$/.test(protocol) && username === "" && search === "" && hash === ""
}
