/**
 * The receiver of the round's webhooks: a real server on the loopback, which fails in turns. A message counts as
 * received once all of it has arrived, whatever becomes of its answer then; what is received is noted in order and
 * judged by nobody here. At last it is well again, for good.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import type { Activity } from "./activity.ts"
import type { Random } from "./random.ts"

/** What becomes of every message while a turn lasts. */
export type ReceiverTurn =
  | "takes"
  /** Takes it after a while, still in time. */
  | "lingers"
  /** Cuts the connection before it reads anything. */
  | "refuses"
  /** Answers 500. */
  | "errs"
  /** Never answers. */
  | "hangs"
  /** Cuts the connection in the middle of the message. */
  | "closes"
  /** Receives it, and cuts the connection instead of an answer. */
  | "loses"
  /** Says that it took it, and cuts the connection in the middle of the answer. */
  | "breaks"
  /** Nobody listens. */
  | "down"

export interface ReceivedMessage {
  /** Of the URL that it was sent to. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly at: number
  /** When an answer left that says that it was taken; `Infinity` where none did. */
  takenAt: number
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly origin: string
  /** In the order in which they were received. */
  readonly received: readonly ReceivedMessage[]
  /** How often each turn met a message. */
  readonly met: ReadonlyMap<string, number>
  turn(turn: ReceiverTurn): Promise<void>
  /** Fails no more. */
  heal(): Promise<void>
}

/** Less than a try may take, by far. */
const LINGER_MS = 100

const FAILURES = [
  "lingers",
  "refuses",
  "errs",
  "hangs",
  "closes",
  "loses",
  "breaks",
  "down",
] as const

export interface WebhookReceiverOptions {
  readonly activity: Activity
  readonly random: Random
}

export async function startWebhookReceiver({
  activity,
  random,
}: WebhookReceiverOptions): Promise<WebhookReceiver> {
  const received: ReceivedMessage[] = []
  const met = new Map<string, number>()
  let current: ReceiverTurn = "takes"
  let isHealed = false

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const turn = current
    met.set(turn, (met.get(turn) ?? 0) + 1)
    if (turn === "refuses" || turn === "down") return void request.destroy()
    if (turn === "closes") {
      await once(request, "data")
      return void request.destroy()
    }
    const at = Date.now()
    const message: ReceivedMessage = {
      path: request.url ?? "",
      headers: toHeaders(request),
      body: await text(request),
      at,
      takenAt: Infinity,
    }
    received.push(message)
    await answer(turn, response, message)
  }

  const server = createServer((request, response) => {
    // A sender that has given up, or is gone.
    receive(request, response).catch(() => request.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo

  async function turnTo(turn: ReceiverTurn): Promise<void> {
    current = turn
    if (turn === "down" && server.listening) {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    } else if (turn !== "down" && !server.listening) {
      server.listen(port, "127.0.0.1")
      await once(server, "listening")
    }
  }

  /** Well and ill by turns, each way of being ill as often as the others. */
  async function takeTurns(): Promise<void> {
    for (;;) {
      for (const failure of random.shuffle(FAILURES)) {
        await activity.more(random.integer(10, 30))
        if (isHealed) return
        await turnTo(failure)
        await activity.more(random.integer(5, 25))
        if (isHealed) return
        await turnTo("takes")
      }
    }
  }

  // A round that has failed ends every wait; it is told by then.
  const turning = takeTurns().catch(() => undefined)
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    met,
    turn: turnTo,
    async heal() {
      isHealed = true
      await turnTo("takes")
    },
    async [Symbol.asyncDispose]() {
      isHealed = true
      void turning
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

async function answer(
  turn: ReceiverTurn,
  response: ServerResponse,
  message: ReceivedMessage,
): Promise<void> {
  if (turn === "hangs") return
  if (turn === "errs") return void response.writeHead(500).end("not now")
  if (turn === "loses") return void response.destroy()
  if (turn === "breaks") {
    response.writeHead(200, { "content-length": "1000" }).write("the beginning of")
    message.takenAt = Date.now()
    await pause(10)
    return void response.destroy()
  }
  if (turn === "lingers") await pause(LINGER_MS)
  message.takenAt = Date.now()
  response.writeHead(204).end()
}

function toHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
