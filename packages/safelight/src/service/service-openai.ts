/** The door for programs that speak to OpenAI, over the service's own handler. */
import type { HttpHandler, OpenAiService } from "@safelight/http"
import { createOpenAiHandler } from "@safelight/openai"

/** `handler` is called at each use, since the handler is made with what this returns. */
export function createServiceOpenAi(handler: () => Pick<HttpHandler, "fetch">): OpenAiService {
  return createOpenAiHandler({
    fetch: async (url, init, bindings) => handler().fetch(new Request(url, init), bindings),
  })
}
