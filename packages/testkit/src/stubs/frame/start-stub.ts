/** Starts a stub from the definition of its provider, on a socket of its own at 127.0.0.1. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createSystemClock } from "@safelight/core"
import { createAnswer } from "./answer-request.ts"
import { createRequestLog } from "./request-log.ts"
import type { RunningStub, StubDelivery, StubOptions, StubPurchase } from "./running-stub.ts"
import type { StubContext, StubDefinition } from "./stub-definition.ts"
import { createFaultSwitches } from "./stub-faults.ts"
import { createFiles, type StubFiles } from "./stub-files.ts"
import { openRoute, type StubRoute } from "./stub-route.ts"
import { waitUntil } from "./wait-until.ts"
import { createSockets } from "./stub-sockets.ts"
import { createWebhooks } from "./stub-webhooks.ts"

const DEFAULTS = { queueMs: 0, runMs: 100, slowMs: 120_000, filmBytes: 0 }

/** In the form of Standard Webhooks. Only who verifies signatures needs to know it. */
const DEFAULT_SECRET = `whsec_${Buffer.from("a secret of safelight's stubs 01").toString("base64")}`

/** Rejects if the port is taken. */
export async function startStub(
  definition: StubDefinition,
  options: StubOptions = {},
): Promise<RunningStub> {
  const { queueMs, runMs, slowMs, filmBytes } = { ...DEFAULTS, ...options }
  const clock = options.clock ?? createSystemClock(globalThis)
  const asideClock = options.asideClock ?? clock
  const faults = createFaultSwitches(definition.ownFaults)
  faults.set(options.faults ?? {})
  const purchases: StubPurchase[] = []
  const deliveries: StubDelivery[] = []
  const log = createRequestLog()
  const closing = new AbortController()
  const closed = closing.signal
  const server = createServer()
  const url = await listen(server, options.port ?? 0)
  const sockets = createSockets(server, definition.hosts)
  const toUrl = (path: string): string => `${url}${path}`
  const context: StubContext = {
    clock,
    queueMs,
    runMs,
    slowMs,
    webhookSecret: options.webhookSecret ?? DEFAULT_SECRET,
    files: createFiles({
      clock,
      filmBytes,
      toUrl: (path) => toUrl(`/${definition.filesHost}${path}`),
    }),
    webhooks: createWebhooks({ clock: asideClock, faults, deliveries, closed }),
    refuse: definition.refuse,
    toldAt: (at = clock.now()) => at + faults.skewMs(),
    toUrl,
    record: (purchase) => purchases.push({ ...purchase, at: clock.now() }),
    strikes: (fault) => faults.takeOwn(fault),
    waitUntil: (at, over) => waitUntil(clock, at, either(closed, over)),
    waitAside: (at, over) => waitUntil(asideClock, at, either(closed, over)),
    onSocket: (path, listener) => sockets.listen(path, listener),
  }
  const routes = [...toFileRoutes(context), ...definition.createRoutes(context)]
  const answer = createAnswer({ definition, routes, faults, log, clock, slowMs, closed })
  server.on("request", (request, response) => void answer(request, response))
  return {
    url,
    purchases,
    requests: log.requests,
    deliveries,
    ownFaults: definition.ownFaults,
    setFaults: (next) => faults.set(next),
    [Symbol.asyncDispose]: () => {
      closing.abort()
      sockets.close()
      return close(server)
    },
  }
}

function either(closed: AbortSignal, over: AbortSignal | undefined): AbortSignal {
  return over === undefined ? closed : AbortSignal.any([closed, over])
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject)
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function toFileRoutes({
  files,
  refuse,
}: { files: StubFiles } & Pick<StubContext, "refuse">): StubRoute[] {
  return ["GET", "HEAD"].map((method) =>
    openRoute("download", `${method} /files/{id}`, (call) => {
      return files.serve(call, call.params["id"] ?? "") ?? refuse("not-found")
    }),
  )
}
