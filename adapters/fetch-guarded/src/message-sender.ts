/**
 * Sends messages to untrusted URLs, under the same rules of URLs and addresses as downloads. A connection is
 * kept for the next message to the same origin: it leads to the address that was judged when it was opened, and
 * no name is looked up for it again. Redirects are answers like others. What an address answers that the operator
 * alone allows is not for the account that named it.
 */
import { isIP, type Socket } from "node:net"
import { Agent, errors, type Dispatcher } from "undici"
import {
  toRetryAfterMs,
  type MessageSender,
  type SendFailure,
  type SendOutcome,
  type SendRequest,
} from "@safelight/core"
import { createAddressJudge } from "./address-rule.ts"
import { startDeadline } from "./deadline.ts"
import { parseDownloadAddress } from "./download-address.ts"
import { createGuardedConnector, type ConnectRefusal } from "./guarded-connector.ts"
import { toSettings, type GuardedFetchOptions } from "./guarded-fetch-options.ts"
import { createLookUp } from "./look-up-host.ts"

export interface MessageSenderOptions extends Pick<
  GuardedFetchOptions,
  "allowedAddresses" | "deniedAddresses" | "connectTimeoutMs" | "lookup"
> {
  /** Returns the bodies of `allowedAddresses` too: accounts that name URLs may read what is there. */
  readonly showsAllowedAnswers?: boolean
}

/** Shorter than common servers keep a connection: Node's for 5 s, behind which a message would be lost. */
const KEEP_ALIVE_MS = 2_000
/** More than any answer needs of which little is read. */
const MAX_HEADER_BYTES = 16_384

/** Why a message could not be sent; passed on by the connector. */
class SendFault extends Error {
  readonly failure: SendFailure

  constructor(failure: SendFailure) {
    super(failure)
    this.failure = failure
  }
}

/** Throws `invalid-configuration`, naming the option. */
export function createMessageSender(options: MessageSenderOptions = {}): MessageSender {
  const { showsAllowedAnswers = false, ...rest } = options
  const settings = toSettings(rest)
  const judge = createAddressJudge(settings)
  const inner = createInnerOrigins()
  const closing = new AbortController()
  const agent = new Agent({
    connect: createGuardedConnector({
      judge,
      lookup: options.lookup ?? createLookUp(),
      connectTimeoutMs: settings.connectTimeoutMs,
      signal: closing.signal,
      toFault: (refusal) => new SendFault(toFailure(refusal)),
      ...(!showsAllowedAnswers && { onConnected: inner.note }),
    }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // One message at a time on a connection: a slow answer delays no other.
    pipelining: 1,
  })

  function check(text: string): SendFailure | undefined {
    const url = toAddress(text)
    if (url === undefined) return "url-not-allowed"
    const literal = url.hostname.replace(/^\[(.*)\]$/, "$1")
    if (isIP(literal) === 0) return undefined
    return judge([literal]) === "refused" ? "address-not-allowed" : undefined
  }

  return {
    check,
    async send(request) {
      const address = toAddress(request.url)
      if (address === undefined) return failed("url-not-allowed")
      const deadline = startDeadline({
        timeoutMs: request.timeoutMs,
        caller: request.signal,
        toLate: (): SendFailure => "timed-out",
        toCalledOff: (): SendFailure => "called-off",
      })
      const { signal } = deadline
      try {
        return await exchange({ agent, inner }, address, request, signal)
      } catch (error) {
        if (signal.aborted) return failed(signal.reason as SendFailure)
        return failed(closing.signal.aborted ? "called-off" : toSendFailure(error))
      } finally {
        deadline.end()
      }
    },
    async close() {
      closing.abort()
      await agent.destroy()
    },
  }
}

function toAddress(text: string): URL | undefined {
  try {
    return parseDownloadAddress(text)
  } catch {
    // Its one error says what is wrong with a download.
    return undefined
  }
}

function failed(failure: SendFailure): SendOutcome {
  return { kind: "failed", failure }
}

interface InnerOrigins {
  readonly note: (origin: string, socket: Socket) => void
  readonly has: (origin: string) => boolean
}

/** The origins with an open connection to an address that is not public, or may not be. */
function createInnerOrigins(): InnerOrigins {
  const judge = createAddressJudge({})
  const connections = new Map<string, number>()
  return {
    note(origin, socket) {
      const { remoteAddress = "", localAddress } = socket
      if (judge([remoteAddress], localAddress) === "allowed") return
      connections.set(origin, (connections.get(origin) ?? 0) + 1)
      socket.once("close", () => {
        const left = (connections.get(origin) ?? 0) - 1
        if (left > 0) connections.set(origin, left)
        else connections.delete(origin)
      })
    },
    has: (origin) => connections.has(origin),
  }
}

async function exchange(
  { agent, inner }: { readonly agent: Agent; readonly inner: InnerOrigins },
  address: URL,
  { headers, body, answerBytes, timeoutMs }: SendRequest,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const answer = await agent.request({
    origin: address.origin,
    path: `${address.pathname}${address.search}`,
    method: "POST",
    headers: { ...headers, "accept-encoding": "identity" },
    body,
    signal,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  const status = answer.statusCode
  // Asked before the body is read: the connection that brings it is still open, at least until this turn ends.
  const isInner = inner.has(address.origin)
  const beginning = await readBeginning(answer.body, answerBytes)
  const header = answer.headers["retry-after"]
  const retryAfterMs = typeof header === "string" ? toRetryAfterMs(header, Date.now()) : undefined
  return {
    kind: "answered",
    status,
    body: isInner ? "" : beginning,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** What came until the body ended, was cut or broke off: the status has arrived, and nothing more is needed. */
async function readBeginning(
  body: Dispatcher.ResponseData["body"],
  mostBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Uint8Array)
      bytes += (chunk as Uint8Array).byteLength
      // Leaving the loop closes the connection.
      if (bytes >= mostBytes) break
    }
  } catch {
    // A body that breaks off takes nothing back of the status.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, mostBytes))
}

/** One word for an unknown name and for one that leads to a private network: otherwise its names could be listed. */
function toFailure(refusal: ConnectRefusal): SendFailure {
  switch (refusal) {
    case "own-addresses-unknown":
      return refusal
    case "host-unknown":
    case "address-refused":
    case "too-many-addresses":
      return "address-not-allowed"
  }
}

function toSendFailure(error: unknown): SendFailure {
  if (error instanceof SendFault) return error.failure
  const isLate =
    error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError
  if (isLate) return "timed-out"
  const isMalformed =
    error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError
  return isMalformed ? "answer-invalid" : "connection-failed"
}
