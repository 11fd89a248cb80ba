/**
 * A process of its own that serves, for tests which would take this process's memory along: it
 * tells its address and key once it listens, and how much memory it has whenever it is asked.
 */
import { subscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"
import { createHealthHandler, createNodeServer, type HttpSettings } from "@safelight/http"
import { systemClock } from "@safelight/engine"
import { createInProcessService } from "../in-process-service.ts"

export interface Served {
  readonly url: string
  /** A second listener, which knows nothing but /healthz, and /readyz that never answers. */
  readonly healthUrl: string
  readonly key: string
}

export interface MemoryReport {
  readonly rssBytes: number
  /** Requests that were answered so far, by the service's listener. */
  readonly answered: number
  readonly peakRssBytes: number
  /** What the process has read from clients. */
  readonly readBytes: number
  readonly connections: number
}

const settings = JSON.parse(process.argv[2] ?? "{}") as Partial<HttpSettings>
let answered = 0
const onAnswered = (): void => {
  answered += 1
}
const service = await createInProcessService({ settings, onAnswered })
const checkReady = (): Promise<void> => new Promise(() => {})
const handler = createHealthHandler({ clock: systemClock, checkReady })
const health = await createNodeServer({ handler, settings })
const sockets = new Set<Socket>()
let readBeforeBytes = 0
subscribe("net.server.socket", (message) => {
  const { socket } = message as { socket: Socket }
  sockets.add(socket)
  socket.once("close", () => {
    sockets.delete(socket)
    readBeforeBytes += socket.bytesRead
  })
})

process.on("message", () => {
  const rssBytes = process.memoryUsage.rss()
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  const read = Array.from(sockets, ({ bytesRead }) => bytesRead)
  const readBytes = read.reduce((sum, bytes) => sum + bytes, readBeforeBytes)
  const connections = sockets.size
  process.send?.({
    rssBytes,
    answered,
    peakRssBytes,
    readBytes,
    connections,
  } satisfies MemoryReport)
})
process.once("disconnect", () => {
  void health.close({ graceMs: 0 }).then(() => service[Symbol.asyncDispose]())
})
process.send?.({
  url: service.url,
  healthUrl: health.url,
  key: service.keys.whole,
} satisfies Served)
