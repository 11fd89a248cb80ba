/**
 * A request as it came, and what a host may pass along with it. Nothing here is of Node: our own Node server
 * passes a `ServerPort`, and `node` is what that port alone understands. A handler in a host's application has
 * neither, so it never writes to a response whose headers the host may still change.
 */
import type { Identity } from "@safelight/core"
import type { BodySink } from "../body/read-body.ts"
import type { CreationThreads } from "../body/creation-reader.ts"
import type { ByteSource } from "../content/byte-source.ts"
import type { TextHead, TextSink, TextSinkListener } from "../streams/text-sink.ts"

/** Names the threads among what a host passes, which may have names of its own. */
export const THREADS = Symbol("threads")

/** What a host passes with the request; of `node` and `server` anything but a pair of both is ignored. */
export interface HostBindings {
  /** The raw request and response, for `server` alone. */
  readonly node?: object
  readonly server?: ServerPort
  /** Of our own server, for a request that is made in its process and comes by no connection. */
  readonly [THREADS]?: CreationThreads | undefined
}

/** What our own Node server passes. */
export type ServerBindings = Required<Pick<HostBindings, "node" | "server">>

/** What a server of ours can do that web-standard requests and responses can't. */
export interface ServerPort {
  /** How often a header was sent; web-standard headers have joined its values. */
  countHeader(node: object, name: string): number
  /** Hands each chunk of the body to `sink`; if reading stops early, the rest is left unread. */
  receive(node: object, sink: BodySink): Promise<void>
  /**
   * Calls `listener` once the client has left, or has closed its side of the connection, which looks the
   * same. Returns how to stop.
   */
  onLeft(node: object, listener: () => void): () => void
  /** Writes the answer by itself. Resolves once it is sent or the client has left; rejects if the source fails. */
  send(node: object, answer: SentAnswer): Promise<void>
  /** Begins an answer without an end of its own. The listener may be called before this returns. */
  stream(node: object, head: TextHead, listener: TextSinkListener): TextSink
  /** What the handler returns once `send` has settled, or the stream is over. */
  readonly sent: Response
  readonly threads: CreationThreads
}

export interface SentAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly source: ByteSource
  /** Counts what the client's connection took. */
  readonly transfer: Transfer
}

export interface Transfer {
  readonly status: number
  readonly lengthBytes: number
  /** So far; all of them if another host sends them. */
  sentBytes: number
}

/** One request and what is known of it before anything is checked. */
export interface Exchange {
  readonly request: Request
  /** Upper case; HEAD stays HEAD. */
  readonly method: string
  readonly requestId: string
  /** Undefined under every server but ours. */
  readonly host: ServerBindings | undefined
  /** For large bodies; undefined where they are read on the event loop. */
  readonly threads: CreationThreads | undefined
  /** Headers of the answer, whatever it is; lower-case names. */
  readonly headers: Record<string, string>
  /** When the request came, in milliseconds since the epoch: expiry is judged by it. */
  readonly startedAt: number
  /** A decoded part of the path; empty if there is none. */
  readonly param: (name: string) => string
  readonly report: Report
}

/** What is reported of a request besides its answer. Each member is set by the one step that learns it. */
export interface Report {
  /** Of the key, once that is known to be valid; it may still lack what the endpoint needs. */
  identity: Identity | undefined
  /** The task that was made, if the path names none. */
  task: string | undefined
  /** How long the caller had the request wait for something. */
  waitedMs: number
  /** Bytes of an answer that is no text of ours. */
  transfer: Transfer | undefined
}

/** How often a header was sent, as far as the host can tell. */
export function countHeader(
  { host, request }: Pick<Exchange, "host" | "request">,
  name: string,
): number {
  if (host !== undefined) return host.server.countHeader(host.node, name)
  return request.headers.has(name) ? 1 : 0
}
