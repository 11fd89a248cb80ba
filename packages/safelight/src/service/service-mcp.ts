/**
 * The door for agents at /mcp, over the service's own handler. Its library is loaded by the first message: a service
 * that no agent speaks to starts without it.
 */
import type { Log } from "@safelight/core"
import type { HttpHandler, McpService } from "@safelight/http"
import { readVersion } from "./read-version.ts"

export interface ServiceMcpOptions {
  /** The task API. Called at each use, since the handler is made with what this returns. */
  readonly handler: () => Pick<HttpHandler, "fetch">
  readonly log: Log
}

export function createServiceMcp({ handler, log }: ServiceMcpOptions): McpService {
  let loading: Promise<McpService> | undefined
  let hasEnded = false

  async function load(): Promise<McpService> {
    const { createMcpHandler } = await import("@safelight/mcp")
    const mcp = createMcpHandler({
      version: await readVersion(),
      fetch: async (url, init) => handler().fetch(new Request(url, init)),
      onError: (error) => log.error({ error }, "agent call failed"),
    })
    if (hasEnded) mcp.end()
    return mcp
  }

  return {
    answer: async (question) => (await (loading ??= load())).answer(question),
    end() {
      hasEnded = true
      void loading?.then((mcp) => mcp.end())
    },
  }
}
