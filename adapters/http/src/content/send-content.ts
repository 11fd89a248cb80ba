/**
 * Sends the bytes of an answer: by our own server if there is one, else as a web stream, and none for
 * HEAD. The status is sent before a read can fail, so a failure is logged here and can't be answered.
 */
import type { Log } from "@safelight/core"
import type { Exchange } from "../pipeline/exchange.ts"
import type { ByteSource } from "./byte-source.ts"
import { toWebContent } from "./web-content.ts"

export interface SendContentOptions {
  /** Its path names the task. */
  readonly exchange: Exchange
  readonly log: Log
  readonly status: number
  /** Without a Content-Length: that is the source's. */
  readonly headers: Readonly<Record<string, string>>
  /** Closed in every case. */
  readonly source: ByteSource
}

export async function sendContent(options: SendContentOptions): Promise<Response> {
  const { exchange, log, status, source } = options
  const { lengthBytes } = source
  const length = { "content-length": String(lengthBytes) }
  const headers = { ...options.headers, ...exchange.headers, ...length }
  if (exchange.method === "HEAD") {
    await source.close()
    return new Response(null, { status, headers })
  }
  function onFailure(error: unknown): void {
    const names = { requestId: exchange.requestId, task: exchange.param("task") }
    log.error({ ...names, error }, "transfer failed")
  }
  const { host } = exchange
  if (host === undefined) {
    exchange.report.transfer = { status, lengthBytes, sentBytes: lengthBytes }
    return new Response(toWebContent(source, onFailure), { status, headers })
  }
  const transfer = { status, lengthBytes, sentBytes: 0 }
  exchange.report.transfer = transfer
  try {
    await host.server.send(host.node, { status, headers, source, transfer })
  } catch (error) {
    onFailure(error)
  }
  return host.server.sent
}
