/**
 * One request on its way to an answer. `node` is present only where our own Node server hands over
 * its raw pair: a handler that is part of a host's application must not write to a response whose
 * headers the host may still change.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

export interface NodePair {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** What a host passes beside the request; another host's own bindings are ignored. */
export interface HostBindings {
  readonly node?: NodePair
}

export interface Exchange {
  readonly request: Request
  /** Upper case; HEAD stays HEAD. */
  readonly method: string
  readonly requestId: string
  readonly node: NodePair | undefined
  /** A decoded part of the path; the empty text where there is none. */
  readonly param: (name: string) => string
}

/** Throws a `Refusal` or an outside error; the caller answers with it. */
export type Answer = (exchange: Exchange) => Response | Promise<Response>

/** One path and what it does for each method. HEAD is answered by GET unless named. */
export interface Resource {
  readonly path: string
  readonly methods: Readonly<Record<string, Answer>>
}
