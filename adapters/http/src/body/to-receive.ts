/** Where a request's body comes from: our own server where there is one, else the web's stream. */
import type { Exchange } from "../exchange.ts"
import type { BodyRequest } from "./read-body.ts"
import { receiveWebBody } from "./web-body.ts"

export function toReceive({ request, node, server }: Exchange): BodyRequest["receive"] {
  if (node === undefined || server === undefined) return (sink) => receiveWebBody(request, sink)
  return (sink) => server.receive(node, sink)
}
