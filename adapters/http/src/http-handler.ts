/**
 * The task API as a web-standard fetch handler and as a Hono app. Each path has exactly one Hono
 * handler, which looks its method up itself: Hono answers a single handler without composing
 * middleware, and so an unknown method is a 405 of ours before anybody is authenticated.
 */
import {
  MODELS,
  SILENT_LOG,
  type Clock,
  type LinkStorage,
  type Log,
  type Model,
  type RateStorage,
  type TaskService,
} from "@safelight/core"
import { Hono } from "hono"
import { createAdmission } from "./authentication/admission.ts"
import { createAuthenticate } from "./authentication/authenticate.ts"
import type { CallerStorage } from "./authentication/key-verifier.ts"
import { createCreationReader } from "./body/creation-reader.ts"
import { createBodyReader } from "./body/read-body.ts"
import { toSettings, type HttpSettings } from "./defaults.ts"
import { createResponder } from "./errors/responder.ts"
import { Refusal } from "./errors/refusal.ts"
import type { HostBindings, Resource } from "./exchange.ts"
import { createLimit } from "./limits/limit.ts"
import { createRateLimiter } from "./limits/rate-limiter.ts"
import { createLinkKeys } from "./links/link-keys.ts"
import { createPrivateLinks } from "./links/private-links.ts"
import { createReference } from "./openapi/reference.ts"
import { createRequestIds } from "./request-id.ts"
import { createResourceHandler } from "./resource-handler.ts"
import { createArtifactContent } from "./resources/artifact-content.ts"
import { createArtifactLinks } from "./resources/artifact-links.ts"
import { createCreateTask } from "./resources/create-task.ts"
import { createFindContent } from "./resources/find-content.ts"
import { createHealth } from "./resources/health.ts"
import { createListArtifacts } from "./resources/list-artifacts.ts"
import { createListTasks } from "./resources/list-tasks.ts"
import { createShowTask } from "./resources/show-task.ts"
import { createShowTaskUsage } from "./resources/show-task-usage.ts"
import { createShowUsage } from "./resources/show-usage.ts"

export type HttpStorage = CallerStorage & LinkStorage & RateStorage

export interface HttpHandlerOptions {
  readonly service: TaskService
  /** Keys, accounts, rates and what private links rest on. */
  readonly storage: HttpStorage
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  /** Where clients reach the service, asked at each use: a server knows it once it listens. */
  readonly publicUrl: () => string
  /** What the service checks by and /openapi.json describes; by default the models that core names. */
  readonly models?: readonly Model[]
  readonly log?: Log
  /** What /readyz asks; rejects where the service can't be used now. By default it can. */
  readonly checkReady?: () => Promise<void>
  readonly settings?: Partial<HttpSettings>
  /** From 0 up to 1; spreads the retries of shed load. */
  readonly random?: () => number
}

export interface HttpHandler {
  /** Never rejects; answers at once where nothing has to be waited for. `bindings.node` is for a host that leaves Node's response to the handler. */
  fetch(request: Request, bindings?: HostBindings): Response | Promise<Response>
  /** The same routes for a Hono host: `host.route("/", handler.app)`. */
  readonly app: Hono<{ Bindings: HostBindings }>
}

/** Throws `invalid-configuration` on a setting that is no positive integer. */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const settings = toSettings(options.settings)
  const log = options.log ?? SILENT_LOG
  const nextRequestId = createRequestIds()
  const responder = createResponder({ log, random: options.random ?? Math.random })
  const app = new Hono<{ Bindings: HostBindings }>()
  for (const resource of createResources(options, settings, log)) {
    app.all(resource.path, createResourceHandler(resource, { responder, nextRequestId }))
  }
  app.notFound((context) =>
    responder.refuse(new Refusal("route_not_found"), nextRequestId(), context.req.method),
  )

  return {
    app,
    fetch(request, bindings) {
      if (request.url.length > settings.urlCharacters) {
        return responder.refuse(new Refusal("uri_too_long"), nextRequestId(), request.method)
      }
      return app.fetch(request, bindings)
    },
  }
}

function createResources(
  options: HttpHandlerOptions,
  settings: HttpSettings,
  log: Log,
): readonly Resource[] {
  const { service, clock, storage, publicUrl, checkReady = isReady, models = MODELS } = options
  const authenticate = createAuthenticate({ storage, clock, settings })
  const limit = createLimit(createRateLimiter({ storage, clock, settings }))
  const admit = createAdmission({ authenticate, limit })
  const keys = createLinkKeys({ storage, clock, settings })
  const links = createPrivateLinks({ service, storage, keys })
  const findContent = createFindContent({ service, admit, limit, links })
  const bodyReader = createBodyReader(settings)
  const readCreation = createCreationReader({ models, settings })
  const list = createListTasks({ service, admit })
  const creation = createCreateTask({ service, admit, bodyReader, readCreation })
  return [
    { path: list.path, methods: { ...list.methods, ...creation.methods } },
    createShowTask({ service, admit, cachedTasks: settings.cachedTasks }),
    createShowTaskUsage({ service, admit }),
    createShowUsage({ service, admit, clock }),
    createListArtifacts({ service, admit, links, clock, publicUrl }),
    createArtifactLinks({ service, admit, links, storage, clock, publicUrl }),
    createArtifactContent({ service, findContent, clock, log }),
    ...createHealth({ checkReady, log }),
    ...createReference({ models }),
  ]
}

async function isReady(): Promise<void> {}
