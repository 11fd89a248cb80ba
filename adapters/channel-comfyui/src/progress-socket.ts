/**
 * Progress that the server sends over its WebSocket to the client that sent the prompt. It is a hint, on which
 * nothing depends. A socket that is dropped is opened again, later each time, and only while prompts of this
 * channel are in progress. Messages that are sent meanwhile are lost.
 *
 *   idle ──follow──▶ connecting ──▶ open ──dropped──▶ waiting ──▶ connecting      close ends any of them
 */
import { randomUUID } from "node:crypto"
import type { Socket } from "node:net"
import { parseJson } from "@safelight/core"
import { Agent, buildConnector, WebSocket } from "undici"
import type { ComfyServer } from "./comfy-server.ts"
import { createPromptProgress, type PromptProgress } from "./prompt-progress.ts"

export interface ProgressSocket {
  /** To be sent with each prompt. */
  readonly clientId: string
  /** A prompt of these nodes is about to be sent. */
  follow(promptId: string, nodes: readonly string[]): void
  /** 1 to 99; undefined if it is unknown. */
  toProgress(promptId: string): number | undefined
  /** The prompt has ended. */
  forget(promptId: string): void
  close(): Promise<void>
}

/** More than a channel has in progress. The oldest are forgotten: their tasks may be another process's now. */
const MOST_PROMPTS = 1_000
/** Previews are sent as pictures, which are ignored. */
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024
const CONNECT_MS = 10_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 30_000

export function createProgressSocket(
  server: Pick<ComfyServer, "headers" | "toUrl">,
): ProgressSocket {
  const clientId = randomUUID()
  const connections = createConnections()
  const { agent } = connections
  const prompts = new Map<string, PromptProgress>()
  let socket: WebSocket | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = FIRST_PAUSE_MS
  let closing: Promise<void> | undefined

  function connect(): void {
    timer = undefined
    const url = server.toUrl("/ws", { clientId })
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
    socket = new WebSocket(url, { dispatcher: agent, headers: server.headers })
    socket.addEventListener("message", ({ data }) => {
      // A message shows that the connection works.
      pauseMs = FIRST_PAUSE_MS
      if (typeof data === "string") hear(data)
    })
    // Fired for every end, even of a connection that was never open.
    socket.addEventListener("close", () => {
      socket = undefined
      if (closing === undefined && prompts.size > 0) waitToConnect()
    })
  }

  function waitToConnect(): void {
    timer = setTimeout(connect, pauseMs)
    timer.unref()
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }

  function hear(text: string): void {
    const message = parseMessage(text)
    if (message !== undefined) prompts.get(message.promptId)?.hear(message.type, message.data)
  }

  return {
    clientId,
    follow(promptId, nodes) {
      if (closing !== undefined) return
      prompts.set(promptId, createPromptProgress(nodes))
      const [oldest] = prompts.keys()
      if (prompts.size > MOST_PROMPTS && oldest !== undefined) prompts.delete(oldest)
      if (socket === undefined && timer === undefined) connect()
    },
    toProgress: (promptId) => prompts.get(promptId)?.toPercent(),
    forget: (promptId) => void prompts.delete(promptId),
    close() {
      clearTimeout(timer)
      prompts.clear()
      if (closing === undefined) socket?.close()
      closing ??= connections.close()
      return closing
    },
  }
}

interface Connections {
  readonly agent: Agent
  close(): Promise<void>
}

/**
 * The open sockets, so that they can be closed: after the upgrade to a WebSocket a socket no longer belongs to
 * its agent, and would wait for the server's close frame for ever.
 */
function createConnections(): Connections {
  const open = new Set<Socket>()
  const connect = buildConnector({ timeout: CONNECT_MS })
  const agent = new Agent({
    allowH2: false,
    webSocket: { maxPayloadSize: MOST_MESSAGE_BYTES },
    connect(options, callback) {
      connect(options, (...outcome) => {
        // Undefined where the connection failed, whatever its type says.
        const made = outcome[1] ?? undefined
        if (made !== undefined) {
          open.add(made)
          made.once("close", () => open.delete(made))
        }
        callback(...outcome)
      })
    },
  })
  return {
    agent,
    close() {
      // Once what was written has been sent.
      for (const each of open) each.destroySoon()
      return agent.destroy()
    },
  }
}

interface Message {
  readonly type: string
  readonly promptId: string
  readonly data: Readonly<Record<string, unknown>>
}

function parseMessage(text: string): Message | undefined {
  const { data, type } = Object(parseJson(text)) as {
    readonly data?: unknown
    readonly type?: unknown
  }
  const fields = Object(data) as Readonly<Record<string, unknown>>
  const { prompt_id: promptId } = fields
  return typeof type === "string" && typeof promptId === "string"
    ? { type, promptId, data: fields }
    : undefined
}
