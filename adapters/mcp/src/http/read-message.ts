/**
 * What a POST brings, as far as the door must know it before the library answers. A message is one object: batches
 * have left the protocol, and each would be calls without number behind one count of the rate.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

export type ReadMessage =
  | { readonly kind: "refused"; readonly response: Response }
  | {
      /** A new session; a cancellation of `call`; anything else. */
      readonly kind: "beginning" | "cancelled" | "other"
      readonly session: string | undefined
      /** Names the call among all that are running; undefined if it has no session or no id. */
      readonly call: string | undefined
      readonly message: JSONRPCMessage
    }

/** The library's name for a session that is over: a caller begins a new one. */
const SESSION_NOT_FOUND = -32_001
const INVALID_REQUEST = -32_600

const SESSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** How the library refuses an origin. */
const REFUSED = -32_000

export interface ReceivedMessage {
  readonly request: Request
  readonly message: unknown
  readonly account: string
  readonly publicUrl: string
}

export function readMessage(received: ReceivedMessage): ReadMessage {
  const { account, message, publicUrl, request } = received
  // A name that was pointed at this machine makes a stranger's page speak to it; its origin tells.
  const origin = request.headers.get("origin")
  if (origin !== null && origin !== URL.parse(publicUrl)?.origin) {
    return refuse(403, REFUSED, "A page may ask from the service's own origin alone.")
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return refuse(400, INVALID_REQUEST, "The body must be one message of JSON-RPC.")
  }
  const session = request.headers.get("mcp-session-id") ?? undefined
  if (session !== undefined && !SESSION.test(session)) {
    return refuse(404, SESSION_NOT_FOUND, "There is no such session: begin a new one.")
  }
  const kind = toKind(message)
  const named = toRequestId(message)
  const isNamed = session !== undefined && named !== undefined
  const call = isNamed ? JSON.stringify([account, session, named]) : undefined
  return { kind, session, call, message: message as JSONRPCMessage }
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly requestId?: unknown } | null
}

function toKind({ method }: Message): "beginning" | "cancelled" | "other" {
  if (method === "notifications/cancelled") return "cancelled"
  return method === "initialize" ? "beginning" : "other"
}

/** Of the call, or of the one that is to be cancelled. */
function toRequestId(message: Message): string | number | undefined {
  const { id, params } = message
  const named = toKind(message) === "cancelled" ? params?.requestId : id
  return typeof named === "string" || typeof named === "number" ? named : undefined
}

function refuse(status: number, code: number, words: string): ReadMessage {
  const error = { code, message: words }
  const response = Response.json({ jsonrpc: "2.0", error, id: null }, { status })
  return { kind: "refused", response }
}
