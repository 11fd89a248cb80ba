/** What the service answers requests with: the task API and whatever the configuration adds to it. */
import type { Log } from "@safelight/core"
import {
  createHealthHandler,
  createHttpHandler,
  type HealthHandlerOptions,
  type HttpHandler,
  type HttpHandlerOptions,
} from "@safelight/http"
import type { Configuration } from "../configuration/configuration.ts"
import { toThreadModels } from "../models/served-models.ts"
import { listConsoleFiles } from "./console-files.ts"
import { createServiceMcp } from "./service-mcp.ts"
import { createServiceOpenAi } from "./service-openai.ts"

/** A worker serves no API. */
export async function createServiceHandler(
  configuration: Configuration,
  api: Omit<HttpHandlerOptions, "models" | "threadModels"> & HealthHandlerOptions & { log: Log },
): Promise<HttpHandler> {
  if (configuration.role === "worker") return createHealthHandler(api)
  const {
    currency,
    models,
    console: hasConsole,
    mcp: hasMcp,
    openai: hasOpenAi,
    reference: hasReference,
  } = configuration
  const { signIn, ...rest } = api
  const consoleFiles = hasConsole ? await listConsoleFiles(api.log) : undefined
  const names = currency === undefined ? {} : { currency }
  const page = {
    ...names,
    ...(consoleFiles && { consoleFiles }),
    ...(hasConsole && signIn && { signIn }),
  }
  const threads = toThreadModels(configuration)
  const mcp = hasMcp ? { mcp: createServiceMcp({ handler: () => handler, log: api.log }) } : {}
  const openai = hasOpenAi ? { openai: createServiceOpenAi(() => handler) } : {}
  const doors = { ...mcp, ...openai }
  const handler = createHttpHandler({
    ...rest,
    models,
    hasReference,
    ...threads,
    ...page,
    ...doors,
  })
  return handler
}
