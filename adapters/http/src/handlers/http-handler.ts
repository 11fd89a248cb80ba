/**
 * The task API as a web-standard fetch handler and as a Hono app: every endpoint with the services it
 * needs. Paths for which the host passes nothing (metrics, callbacks, inputs, insight) are unknown.
 */
import {
  createErrorLog,
  MODELS,
  type Access,
  type CallbackService,
  type ChangeService,
  type Clock,
  type InputService,
  type Log,
  type Model,
  type SignInService,
  type OperatorInsight,
  type ProofService,
  type StatementService,
  type TaskService,
  type Tracer,
  type WebhookService,
} from "@safelight/core"
import type { OnAnswered } from "../pipeline/answered-request.ts"
import { createCheckAccess, createIsStillAllowed, createRateLimit } from "../access/check-access.ts"
import { createPublicPrefix } from "../pipeline/addresses.ts"
import type { ThreadModels } from "../body/creation-job.ts"
import type { Compress } from "../content/content-coding.ts"
import { toSettings, type HttpSettings } from "../pipeline/defaults.ts"
import { ENDPOINTS } from "../endpoints/endpoints.ts"
import { createApiDocument } from "../openapi/document.ts"
import { createOpenStreams } from "../streams/open-streams.ts"
import { createRouter, type HttpHandler } from "../pipeline/router.ts"
import type { McpService, MetricsText, OpenAiService, PageFiles } from "../pipeline/services.ts"
import { createTaskWaits } from "../pipeline/task-waits.ts"

export interface HttpHandlerOptions {
  readonly service: TaskService
  /** Tells what happens to tasks as it happens; absent: there are no streams. */
  readonly changes?: ChangeService
  /** Receives the callbacks of providers; absent: there is nothing at their path. */
  readonly callbacks?: CallbackService
  /** Who may call, how often, and by which link: what `@safelight/access` makes, or a host's own. */
  readonly access: Access
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  /** The URL at which clients reach the service. Called at each use: a server knows it once it listens. */
  readonly publicUrl: () => string
  /** The models that the service has and /openapi.json describes; core's by default. */
  readonly models?: readonly Model[]
  /**
   * How a thread loads those of them that aren't core's; without it they are checked on the event loop.
   * Its `loadModels` must make the same models as `models`.
   */
  readonly threadModels?: ThreadModels
  /** Without it errors are written to the console, and nothing else is; `SILENT_LOG` writes nothing. */
  readonly log?: Log
  /** Opens the signed addresses of inputs; absent: there is nothing at their path. */
  readonly inputs?: InputService
  /** What accounts ask of their webhooks; absent: there is nothing at their paths. */
  readonly webhooks?: WebhookService
  /** Exchanges one-time links for keys; absent: there is nothing at its path. */
  readonly signIn?: SignInService
  /** What an operator sees and steers; absent: there is nothing at those paths. */
  readonly insight?: OperatorInsight
  /** The signed tree over the log; absent: the log is not signed, and there is nothing at those paths. */
  readonly proofs?: ProofService
  /** Proves to accounts what they were charged; absent: there is nothing at its path. */
  readonly statements?: StatementService
  /** Answers agents at /mcp, as `@safelight/mcp` does; absent: there is nothing at that path. */
  readonly mcp?: McpService
  /** Answers below /openai/v1, as `@safelight/openai` does; absent: there is nothing at those paths. */
  readonly openai?: OpenAiService
  /** What /readyz asks; rejects if the service can't be used now. By default it can. */
  readonly checkReady?: () => Promise<void>
  readonly settings?: Partial<HttpSettings>
  /** What the amounts are in, for people: `USD`, `credits`; absent: amounts are numbers without a name. */
  readonly currency?: string
  /** Called for every request once it was answered; must not throw. */
  readonly onAnswered?: OnAnswered
  /** Each request is a span then, those for health and metrics apart. */
  readonly tracer?: Tracer
  /** What GET /metrics answers, to anybody and without a key; absent: there is nothing at that path. */
  readonly metrics?: () => Promise<MetricsText>
  /** The console's files, served at / and below /console/; absent: there is nothing at these paths. */
  readonly consoleFiles?: PageFiles
  /** Whether /openapi.json and /docs are there, for anybody and without a key; by default they are. */
  readonly hasReference?: boolean
  /** Reads a file of an installed package for /docs, which is there only with it; Node's entry brings it. */
  readonly readPackageFile?: (specifier: string) => Promise<Uint8Array>
  /** Compresses the files of the console and the reference; absent: they are sent as they are. Node's entry brings it. */
  readonly compress?: Compress
  /** From 0 up to 1; spreads the retries of shed load. */
  readonly random?: () => number
}

/** For somebody who opens the address itself in a browser. */
const ROOT_WORDS =
  "There is nothing at this path. People find the API described at /docs, programs at /openapi.json."

/** Throws `invalid-configuration`, naming the setting that is wrong or the model that can't be described. */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const { service, access, clock, publicUrl, models = MODELS, onAnswered } = options
  const { log = createErrorLog(globalThis), hasReference = true } = options
  const settings = toSettings(options.settings)
  const rateLimit = createRateLimit(access)
  const prefix = createPublicPrefix(publicUrl)
  const isStillAllowed = createIsStillAllowed(access)
  const waits = createTaskWaits({ isStillAllowed, service, settings, log })
  const services = {
    service,
    clock,
    log,
    settings,
    currency: options.currency,
    models,
    threadModels: options.threadModels,
    links: access,
    rateLimit,
    waits,
    publicUrl,
    prefix,
    checkReady: options.checkReady ?? isReady,
    changes: options.changes,
    streams: createOpenStreams(settings, clock),
    isStillAllowed,
    callbacks: options.callbacks,
    inputs: options.inputs,
    webhooks: options.webhooks,
    signIn: options.signIn,
    insight: options.insight,
    proofs: options.proofs,
    statements: options.statements,
    mcp: options.mcp,
    openai: options.openai,
    metrics: options.metrics,
    describeApi: hasReference ? () => createApiDocument(models, prefix()) : undefined,
    consoleFiles: options.consoleFiles,
    readPackageFile: options.readPackageFile,
    compress: options.compress ?? leaveAsItIs,
  }
  const router = createRouter(ENDPOINTS, {
    services,
    checkAccess: createCheckAccess(access, rateLimit),
    bodyServices: services,
    log,
    urlCharacters: settings.urlCharacters,
    onAnswered,
    tracer: options.tracer,
    random: options.random,
    rootWords: hasReference ? ROOT_WORDS : undefined,
  })
  function endWaits(): void {
    waits.end()
    options.mcp?.end()
    options.openai?.end()
  }
  return { ...router, endWaits }
}

async function isReady(): Promise<void> {}

async function leaveAsItIs(bytes: Uint8Array): Promise<Uint8Array> {
  return bytes
}
