/**
 * One request on its way to an answer. `node` is present only where our own Node server hands over
 * its raw pair: a handler that is part of a host's application must not write to a response whose
 * headers the host may still change.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { CreationThreads } from "./body/creation-threads.ts"

export interface NodePair {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** What a host passes beside the request; another host's own bindings are ignored. */
export interface HostBindings {
  readonly node?: NodePair
  /** Where large bodies are read; our own Node server brings them along. */
  readonly threads?: CreationThreads
}

export interface Transfer {
  readonly lengthBytes: number
  /** So far; all of them where they are sent by somebody else. */
  sentBytes: number
}

export interface Exchange {
  readonly request: Request
  /** Upper case; HEAD stays HEAD. */
  readonly method: string
  readonly requestId: string
  readonly node: NodePair | undefined
  readonly threads: CreationThreads | undefined
  /** What the answer carries whatever it is, lower-case names; filled on the way to it. */
  readonly headers: Record<string, string>
  /** Whose key it is, once that is verified. */
  account?: string
  /** The task that was made, where the path names none. */
  task?: string
  /** Bytes of an answer that is no text of ours. */
  transfer?: Transfer
  /** Set where the answer was made with `headers` among its own. */
  carriesHeaders?: true
  /** A decoded part of the path; the empty text where there is none. */
  readonly param: (name: string) => string
}

/**
 * An answer's own headers with the exchange's among them. For what is asked most: to set them on a
 * finished answer makes Node's server write it the slow way.
 */
export function carryHeaders(
  exchange: Pick<Exchange, "headers" | "carriesHeaders">,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  exchange.carriesHeaders = true
  return { ...own, ...exchange.headers }
}

/** Throws a `Refusal` or an outside error; the caller answers with it. */
export type Answer = (exchange: Exchange) => Response | Promise<Response>

/** One path and what it does for each method. HEAD is answered by GET unless named. */
export interface Resource {
  readonly path: string
  readonly methods: Readonly<Record<string, Answer>>
  /** What every answer at this path carries, OPTIONS and refusals too; lower-case names. */
  readonly headersFor?: (request: Request) => Readonly<Record<string, string>>
}
