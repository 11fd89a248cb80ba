/** Listens where a provider calls back, and keeps what comes, byte for byte. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { CallbackListener } from "@safelight/testkit"

type Message = Awaited<ReturnType<CallbackListener["next"]>>

export interface WebhookListener extends CallbackListener, AsyncDisposable {}

export async function openWebhookListener(): Promise<WebhookListener> {
  const messages: Message[] = []
  const waiting: ((message: Message) => void)[] = []
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = []
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    request.on("end", () => {
      const headers = request.headers as Readonly<Record<string, string>>
      const query = Object.fromEntries(new URL(request.url ?? "/", "http://here").searchParams)
      const message = { headers, query, body: Buffer.concat(chunks) }
      const next = waiting.shift()
      if (next === undefined) messages.push(message)
      else next(message)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    async next() {
      return messages.shift() ?? new Promise((resolve) => waiting.push(resolve))
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
