/** A server that receives webhooks: what came, in order, and the status that it answers with. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface ReceivedHook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
}

export interface HookReceiver extends AsyncDisposable {
  readonly url: string
  readonly hooks: readonly ReceivedHook[]
  /** Resolves once that many came. */
  received(count: number): Promise<void>
  /** The statuses of the next answers; 200 past the last. */
  willAnswer(...statuses: readonly number[]): void
}

export async function startHookReceiver(): Promise<HookReceiver> {
  const hooks: ReceivedHook[] = []
  const statuses: number[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    hooks.push({
      path: request.url ?? "",
      headers: request.headers,
      raw: Buffer.concat(chunks).toString("utf8"),
    })
    response.writeHead(statuses.shift() ?? 200).end(() => {
      for (const check of waiting) check()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hooks,
    received: (count) =>
      new Promise((resolve) => {
        function check(): void {
          if (hooks.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    willAnswer: (...next) => void statuses.push(...next),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
