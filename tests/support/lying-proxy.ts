/**
 * Stands before a service and spoils its answers as a test says: the service has done what it was asked
 * by then. What is not spoiled goes through as it is, without compression.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface ProxiedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** `reset` breaks the connection instead, `silence` keeps it and says nothing. */
export type Spoil = (answer: ProxiedAnswer) => ProxiedAnswer | "reset" | "silence"

export interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
}

export interface LyingProxy extends AsyncDisposable {
  readonly url: string
  /** All that came, in order. */
  readonly requests: readonly ProxiedRequest[]
  /** Where requests go from now on. */
  aim(target: string): void
  /** Every answer to what `isMeant` is spoiled from now on; nothing any more without it. */
  lie(isMeant?: (request: ProxiedRequest) => boolean, spoil?: Spoil): void
}

export async function startLyingProxy(target = ""): Promise<LyingProxy> {
  const requests: ProxiedRequest[] = []
  let aimed = target
  let isMeant: (request: ProxiedRequest) => boolean = () => false
  let spoil: Spoil = (answer) => answer

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = "GET", url: path = "/" } = incoming
    const request = { method, path, headers }
    requests.push(request)
    const found = await forward(`${aimed}${path}`, request, incoming)
    const told = isMeant(request) ? spoil(found) : found
    if (told === "silence") return
    if (told === "reset") return void incoming.socket.destroy()
    const { "content-length": length, ...others } = told.headers
    // Of a body that goes out it is that body's own, unless the lie is about it.
    const isTold = method === "HEAD" || told.body === found.body || length !== found.headers[LENGTH]
    response.writeHead(told.status, isTold ? told.headers : others)
    response.end(method === "HEAD" ? undefined : told.body)
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    aim: (at) => (aimed = at),
    lie(meant = () => false, spoiling = (found) => found) {
      isMeant = meant
      spoil = spoiling
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

const LENGTH = "content-length"

/** Of the connection, and not of the answer. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"])

async function forward(
  url: string,
  { headers, method }: ProxiedRequest,
  incoming: IncomingMessage,
): Promise<ProxiedAnswer> {
  const body: Buffer[] = []
  for await (const chunk of incoming) body.push(chunk as Buffer)
  const passed = Object.entries(headers).filter(
    ([name]) => !HOP_BY_HOP.has(name) && name !== "host" && name !== "content-length",
  )
  const response = await fetch(url, {
    method,
    headers: passed.map(([name, value]) => [name, String(value)] as [string, string]),
    ...(method === "POST" && { body: Buffer.concat(body) }),
    redirect: "manual",
  })
  const answered = [...response.headers].filter(([name]) => !HOP_BY_HOP.has(name))
  return {
    status: response.status,
    headers: Object.fromEntries(answered),
    body: Buffer.from(await response.arrayBuffer()),
  }
}
