/** A provider's channel at a server of ours that gives prepared answers; both are closed with the test. */
import type { TestContext } from "node:test"
import { createHttpChannel, type Provider } from "@safelight/channel-http"
import type { Channel, Json } from "@safelight/core"
import { serve } from "../../support/misbehaving-server.ts"

/** A text is sent unchanged, anything else as JSON. */
export type Answer = readonly [status: number, body?: Json]

export async function openAnswered(
  context: TestContext,
  provider: Provider,
  answer: Answer | ((path: string) => Answer),
  key = "key",
): Promise<Channel> {
  const { origin } = await serve(context, (request, response) => {
    request.resume()
    const [status, body = ""] = typeof answer === "function" ? answer(request.url ?? "") : answer
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body))
  })
  const channel = createHttpChannel({ provider, key, baseUrl: origin })
  context.after(() => channel.close?.())
  return channel
}
