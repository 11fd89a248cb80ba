/**
 * The task API as a web-standard fetch handler and as a Hono app: every resource with the pieces it
 * needs. `/metrics` is the only path that a host has to ask for.
 */
import {
  MODELS,
  SILENT_LOG,
  type Access,
  type CallbackService,
  type Clock,
  type InputService,
  type Log,
  type Model,
  type TaskService,
} from "@safelight/core"
import type { OnAnswered } from "./answered-request.ts"
import { createAdmission } from "./authentication/admission.ts"
import { createLimit } from "./authentication/limit.ts"
import type { ThreadModels } from "./body/creation-job.ts"
import { createCreationReader } from "./body/creation-reader.ts"
import { createBodyReader } from "./body/read-body.ts"
import { toSettings, type HttpSettings } from "./defaults.ts"
import type { Resource } from "./exchange.ts"
import { createReference } from "./openapi/reference.ts"
import { createArtifactContent } from "./resources/artifact-content.ts"
import { createArtifactLinks } from "./resources/artifact-links.ts"
import { createCreateTask } from "./resources/create-task.ts"
import { createFindContent } from "./resources/find-content.ts"
import { createHealth } from "./resources/health.ts"
import { createInputContent } from "./resources/input-content.ts"
import { createListArtifacts } from "./resources/list-artifacts.ts"
import { createListEvents } from "./resources/list-events.ts"
import { createListTasks } from "./resources/list-tasks.ts"
import { createMetricsPage, type MetricsText } from "./resources/metrics-page.ts"
import { createPublicPrefix } from "./resources/public-prefix.ts"
import { createReceiveCallback } from "./resources/receive-callback.ts"
import { createShowTask } from "./resources/show-task.ts"
import { createShowTaskUsage } from "./resources/show-task-usage.ts"
import { createShowUsage } from "./resources/show-usage.ts"
import { createRouter, type HttpHandler } from "./router.ts"

export interface HttpHandlerOptions {
  readonly service: TaskService
  /** Takes in what providers call back with; absent: there is nothing at that path. */
  readonly callbacks?: CallbackService
  /** Who may call, how often, and by which link: what `@safelight/access` makes, or a host's own. */
  readonly access: Access
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  /** Where clients reach the service, asked at each use: a server knows it once it listens. */
  readonly publicUrl: () => string
  /** What the service checks by and /openapi.json describes; by default the models that core names. */
  readonly models?: readonly Model[]
  /**
   * Where a thread gets those of them that aren't core's; without it they are checked where all other
   * requests wait. Its `loadModels` makes the same models as `models` are.
   */
  readonly threadModels?: ThreadModels
  readonly log?: Log
  /** What signed addresses of inputs lead to; absent: there is nothing at their path. */
  readonly inputs?: InputService
  /** What /readyz asks; rejects where the service can't be used now. By default it can. */
  readonly checkReady?: () => Promise<void>
  readonly settings?: Partial<HttpSettings>
  /** Hears of every request that was answered. */
  readonly onAnswered?: OnAnswered
  /** What GET /metrics answers, to anybody and without a key; absent: there is nothing at that path. */
  readonly metrics?: () => Promise<MetricsText>
  /** Whether /openapi.json and /docs are there, for anybody and without a key; by default they are. */
  readonly hasReference?: boolean
  /** From 0 up to 1; spreads the retries of shed load. */
  readonly random?: () => number
}

/** For whoever opens the address itself in a browser. */
const ROOT_WORDS =
  "There is nothing at this path. People find the API described at /docs, programs at /openapi.json."

/** Throws `invalid-configuration` on a setting that is no positive integer. */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const settings = toSettings(options.settings)
  const log = options.log ?? SILENT_LOG
  const { clock, onAnswered, random = Math.random } = options
  const { urlCharacters } = settings
  return createRouter(createResources(options, settings, log), {
    log,
    clock,
    urlCharacters,
    onAnswered,
    random,
    ...(options.hasReference === false ? {} : { rootWords: ROOT_WORDS }),
  })
}

function createResources(
  options: HttpHandlerOptions,
  settings: HttpSettings,
  log: Log,
): readonly Resource[] {
  const { service, access, clock, publicUrl, checkReady = isReady, models = MODELS } = options
  const { callbacks, inputs, metrics, hasReference = true } = options
  const { inputsWaiting: mostWaiting } = settings
  const limit = createLimit(access)
  const admit = createAdmission(access, limit)
  const findContent = createFindContent({ service, admit, limit, links: access })
  const bodyReader = createBodyReader(settings)
  const readCreation = createCreationReader({
    models,
    threadModels: options.threadModels,
    settings,
  })
  const prefix = createPublicPrefix(publicUrl)
  const list = createListTasks({ service, admit, prefix })
  const creation = createCreateTask({
    service,
    admit,
    bodyReader,
    readCreation,
    prefix,
    models: models.map(({ id }) => id),
  })
  return [
    { path: list.path, methods: { ...list.methods, ...creation.methods } },
    createShowTask({ service, admit, prefix, cachedTasks: settings.cachedTasks }),
    createListEvents({ service, admit }),
    createShowTaskUsage({ service, admit }),
    createShowUsage({ service, admit, clock }),
    createListArtifacts({ service, admit, links: access, clock, publicUrl }),
    createArtifactLinks({ service, admit, links: access, clock, publicUrl }),
    createArtifactContent({ service, findContent, clock, log }),
    ...(inputs === undefined ? [] : [createInputContent({ inputs, log, mostWaiting })]),
    ...(callbacks === undefined ? [] : [createReceiveCallback({ callbacks, settings })]),
    ...createHealth({ checkReady, log }),
    ...(hasReference ? createReference({ models, prefix }) : []),
    ...(metrics === undefined ? [] : [createMetricsPage(metrics)]),
  ]
}

async function isReady(): Promise<void> {}
