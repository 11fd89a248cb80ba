/**
 * The two ways out for an artifact's bytes: to Node's response where our own server handed it
 * over, else as a web stream. Either way the status is out by the time a read can fail, so a
 * failure is logged here and can't be answered.
 */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Log } from "@safelight/core"
import type { Exchange } from "../exchange.ts"
import type { ByteSource } from "./byte-source.ts"
import { sendNodeContent } from "./node-content.ts"
import { toWebContent } from "./web-content.ts"

export interface SendContentOptions {
  /** Whose path names the task, which was found. */
  readonly exchange: Exchange
  readonly log: Log
  readonly status: number
  readonly headers: Record<string, string>
  readonly source: ByteSource
}

export async function sendContent(options: SendContentOptions): Promise<Response> {
  const { exchange, log, status, headers, source } = options
  function onFailure(error: unknown): void {
    const names = { requestId: exchange.requestId, task: exchange.param("task") }
    log.error({ ...names, error }, "an artifact broke off while it was sent")
  }
  const { lengthBytes } = source
  if (exchange.node === undefined) {
    exchange.transfer = { lengthBytes, sentBytes: lengthBytes }
    return new Response(toWebContent(source, onFailure), { status, headers })
  }
  const { incoming, outgoing } = exchange.node
  const transfer = { lengthBytes, sentBytes: 0 }
  exchange.transfer = transfer
  try {
    const answer = { status, headers, source, transfer }
    await sendNodeContent({ outgoing, socket: incoming.socket }, answer)
  } catch (error) {
    onFailure(error)
  }
  return RESPONSE_ALREADY_SENT
}
