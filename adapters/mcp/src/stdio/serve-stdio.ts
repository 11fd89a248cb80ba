/**
 * The door over standard input and output. Standard output has messages of the protocol and nothing else. A session
 * is a run of the process; at its end tasks go on, since a connection that ends is no cancellation.
 */
import { randomUUID } from "node:crypto"
import type { Readable, Writable } from "node:stream"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { Client } from "@safelight/client"
import { DEFAULTS } from "../settings/defaults.ts"
import { createSpending } from "../purchases/spending.ts"
import { createCallLimit } from "../server/call-limit.ts"
import { createMcpServer } from "../server/mcp-server.ts"
import { createPatientOutput } from "./patient-output.ts"
import { createWholeLines } from "./whole-lines.ts"

export interface StdioOptions {
  readonly client: Client
  readonly version: string
  readonly input: Readable
  /** While its reader takes nothing, no more of the input is read. */
  readonly output: Writable
  /** What all tasks of the session may cost together, in micro-units; absent: there is no limit. */
  readonly maxCostMicros?: number | undefined
  /** A message that is none of the protocol, or an error of ours. It may hold what somebody wrote: log its kind alone. */
  readonly onError: (error: unknown) => void
}

export interface StdioDoor {
  /**
   * Resolves when the input has ended, or nobody can read the output. Rejects if the input fails, or a message is longer
   * than the door takes.
   */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export async function serveStdio(options: StdioOptions): Promise<StdioDoor> {
  const { client, input, maxCostMicros, onError, version } = options
  const lines = createWholeLines(DEFAULTS.messageBytes)
  const output = createPatientOutput(options.output, () => void server.close())
  // What arrives is bounded by the lines; several may arrive together.
  const transport = new StdioServerTransport(lines, output.stream, { maxBufferSize: Infinity })
  const send = transport.send.bind(transport)
  transport.send = async (message) => {
    const sent = send(message)
    output.holdBack(lines)
    await sent
  }
  const { promise: ended, reject, resolve } = Promise.withResolvers<void>()
  let isGone = false
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library's transports have no other way
  transport.onclose = () => {
    isGone = true
    resolve()
  }
  const server = createMcpServer({
    client,
    version,
    spending: createSpending(maxCostMicros),
    limit: createCallLimit(DEFAULTS.callsAtOnce),
    session: randomUUID(),
    isGone: () => isGone,
    stopping: new AbortController().signal,
    onError,
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onerror = (error) => {
    if (lines.destroyed) fail(error)
    else onError(error)
  }
  function fail(error: Error): void {
    reject(error)
    void server.close()
  }
  input.once("error", fail)
  lines.once("end", () => void server.close())
  await server.connect(transport)
  input.pipe(lines)
  return {
    ended,
    async close() {
      input.unpipe(lines).pause()
      await server.close()
    },
  }
}
