/** The `ServerPort` of our Node server: `node` is a pair of Node's own request and response. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { CreationThreads } from "../body/creation-reader.ts"
import type { ServerPort } from "../pipeline/exchange.ts"
import { receiveNodeBody } from "./node-body.ts"
import { sendNodeContent } from "./node-content.ts"
import { createNodeText } from "./node-text.ts"

export interface NodePair {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

export interface ServerPortOptions {
  readonly threads: CreationThreads
}

export function createServerPort({ threads }: ServerPortOptions): ServerPort {
  return {
    threads,
    sent: RESPONSE_ALREADY_SENT,
    countHeader: (node, name) => countHeader(toPair(node).incoming, name),
    receive: (node, sink) => receiveNodeBody(toPair(node), sink),
    onLeft: (node, listener) => onLeft(toPair(node).incoming, listener),
    send(node, answer) {
      const { incoming, outgoing } = toPair(node)
      return sendNodeContent({ outgoing, socket: incoming.socket }, answer)
    },
    stream(node, head, listener) {
      const { incoming, outgoing } = toPair(node)
      outgoing.shouldKeepAlive = false
      return createNodeText({ outgoing, socket: incoming.socket }, head, listener)
    },
  }
}

/** Under `httpAllowHalfOpen` a client that goes away only ends its side, until something is written to it. */
function onLeft({ socket }: IncomingMessage, listener: () => void): () => void {
  if (socket.readableEnded || socket.destroyed) listener()
  socket.on("end", listener)
  socket.on("close", listener)
  return () => {
    socket.off("end", listener)
    socket.off("close", listener)
  }
}

/** The server passes nothing else along with its port. */
function toPair(node: object): NodePair {
  return node as NodePair
}

/** Counted in the raw names: `headersDistinct` would build a list for every header of the request. */
function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  return rawHeaders.filter((text, index) => {
    return index % 2 === 0 && text.length === name.length && text.toLowerCase() === name
  }).length
}
