/**
 * The studio: a channel that renders on this machine, without a provider. Submitting starts
 * nothing; the first poll starts the rendering and later ones join it, so that a poll after a restart,
 * or on another node, simply renders again from the request. The prompt may hold directives to the
 * sandbox (`directives.ts`).
 */
import type {
  Channel,
  ChannelRequest,
  Json,
  PollOutcome,
  PollRequest,
  SubmitOutcome,
} from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import { createEligibility } from "./eligibility.ts"
import { checkOptions, type StudioOptions } from "./options.ts"
import { createRenderings, type Renderings } from "./renderings.ts"
import { planRequest, STUDIO_MODELS, type RequestPlan } from "./request-plan.ts"

/** Throws `invalid-configuration` on a setting out of its bounds. */
export function createStudioChannel(options: StudioOptions = {}): Channel {
  const settings = checkOptions(options)
  const { name, concurrency, sandbox } = settings
  const renderings = createRenderings(settings)
  return {
    name,
    models: STUDIO_MODELS,
    submission: { kind: "keyed", keyTtlMs: DEFAULTS.keyTtlMs },
    concurrency,
    // The machine is one's own.
    isFree: true,
    submitTimeoutMs: DEFAULTS.submitTimeoutMs,
    ...createEligibility(settings),
    submit: (request) => submit(renderings, request, planRequest(request, sandbox)),
    poll(request) {
      const { account, model, parameters } = request
      // It renders from the request: without one there is nothing to show.
      if (parameters === undefined) return Promise.resolve(ERASED)
      const plan = (): RequestPlan => planRequest({ model, parameters }, sandbox)
      const { progress, signal } = request
      const wait = { beyond: progress, longestMs: DEFAULTS.pollWaitMs, signal }
      return renderings.follow(toKey(request), { account, plan }, wait)
    },
    cancel(request) {
      return Promise.resolve(renderings.cancel(toKey(request)))
    },
    answersAtOnce: (request) => isImmediate(planRequest(request, sandbox)),
    // It runs in this process and needs no credentials.
    check: () => Promise.resolve({ kind: "ready", key: "none" }),
    close: () => renderings.close(),
  }
}

const ERASED: PollOutcome = {
  kind: "refused",
  code: "internal_error",
  message: "The request's parameters were erased before it was rendered.",
}

async function submit(
  renderings: Renderings,
  request: ChannelRequest,
  plan: RequestPlan,
): Promise<SubmitOutcome> {
  const { account, upstreamKey, signal } = request
  const { deferrals = 0 } = plan.directives
  // The caller of a repeat doesn't know the first call's outcome: a refusal would leave that open until the end.
  if (request.isRepeat !== true && toAttempt(upstreamKey) <= deferrals) {
    return { kind: "not-created", reason: "studio_deferred", isAboutRequest: true }
  }
  const accepted = { kind: "accepted", operation: toOperation(request) } as const
  if (!isImmediate(plan)) return accepted
  const wait = { beyond: 99, longestMs: DEFAULTS.immediateWaitMs, signal }
  const outcome = await renderings.follow(upstreamKey, { account, plan: () => plan }, wait)
  return outcome.kind === "running" ? accepted : outcome
}

/** Read off the key and not counted in memory, so that every process answers a repeat alike. */
function toAttempt(upstreamKey: string): number {
  return Number(/\.(\d+)$/.exec(upstreamKey)?.[1] ?? 1)
}

function isImmediate({ directives }: RequestPlan): boolean {
  return directives.isImmediate === true && directives.isStalled !== true
}

/** All that a later poll needs besides the request. It never holds a word of the prompt. */
function toOperation({ upstreamKey }: ChannelRequest): Json {
  return { key: upstreamKey }
}

function toKey({ operation, upstreamKey }: PollRequest): string {
  const key = (operation as { readonly key?: Json } | null)?.key
  return typeof key === "string" ? key : upstreamKey
}
