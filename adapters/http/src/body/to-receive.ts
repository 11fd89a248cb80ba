/** Where a request's body comes from: Node's own request where our server hands that over. */
import type { Exchange } from "../exchange.ts"
import { receiveNodeBody } from "./node-body.ts"
import type { BodyRequest } from "./read-body.ts"
import { receiveWebBody } from "./web-body.ts"

export function toReceive(request: Request, node: Exchange["node"]): BodyRequest["receive"] {
  if (node === undefined) return (sink) => receiveWebBody(request, sink)
  return (sink) => receiveNodeBody(node, sink)
}
