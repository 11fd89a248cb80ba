/**
 * Answers one request, in a provider's order: known path, credentials, free capacity (429), then the handler.
 * Only after the handler does a fault strike, so that a purchase is recorded whatever the caller is answered.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Clock } from "@safelight/core"
import { toFaultyFile, toFaultyReply, type FaultyReply } from "./faulty-reply.ts"
import type { RequestLog } from "./request-log.ts"
import { sendReply } from "./send-reply.ts"
import { createCall, readBody, type StubCall } from "./stub-call.ts"
import type { StubDefinition } from "./stub-definition.ts"
import type { FaultSwitches } from "./stub-faults.ts"
import { findRoute, type RouteKind, type StubReply, type StubRoute } from "./stub-route.ts"

export interface AnswerOptions {
  readonly definition: StubDefinition
  readonly routes: readonly StubRoute[]
  readonly faults: FaultSwitches
  readonly log: RequestLog
  readonly clock: Clock
  readonly slowMs: number
  /** Aborts when the stub closes. */
  readonly closed: AbortSignal
}

const BUSY_MS = 1_000

export function createAnswer(
  options: AnswerOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { definition, clock, log } = options
  return async (request, response) => {
    // A caller may close the connection at any moment; what is written then is lost, as it should be.
    response.on("error", () => response.destroy())
    const bytes = await readBody(request).catch((error: unknown) => error as Error)
    if (bytes instanceof Error) return
    if (bytes === null) return sendReply(response, definition.refuse("too-large"))
    const { method = "GET", url = "/", headers } = request
    log.add({ method, path: url, headers, at: clock.now() })
    response.setHeader("date", new Date(clock.now() + options.faults.skewMs()).toUTCString())
    const call = createCall(request, bytes, definition.hosts)
    const faulty = await decide(call, options, () => pause(response, options))
    if (faulty === "reset") cutOff(request.socket)
    else if (!response.destroyed) await sendReply(response, faulty.reply, faulty.manner)
  }
}

/** A socket whose other end has closed can't be reset any more: the attempt would leave it open. */
function cutOff(socket: Socket): void {
  if (socket.readyState === "open") socket.resetAndDestroy()
  else socket.destroy()
}

/** Waits as long as a slow reply does, or until the client is gone. */
async function pause(response: ServerResponse, options: AnswerOptions): Promise<void> {
  if (response.destroyed) return
  const left = new AbortController()
  response.on("close", () => left.abort())
  const signal = AbortSignal.any([left.signal, options.closed])
  await options.clock.wait(options.slowMs, signal)
}

async function decide(
  call: StubCall,
  { definition, routes, faults, clock }: AnswerOptions,
  pauseReply: () => Promise<void>,
): Promise<FaultyReply | "reset"> {
  const { refuse } = definition
  const route = findRoute(routes, call)
  if (route === undefined) return { reply: refuse("unknown-path") }
  if (!isKnown(route, call, definition, faults)) return { reply: refuse("unauthorized") }
  const now = clock.now() + faults.skewMs()
  const busy = takeBusy(route.kind, faults, now)
  if (busy !== undefined) {
    const reply = refuse("busy")
    return { reply: { ...reply, headers: { ...reply.headers, ...busy } } }
  }
  const reply = await handle(route, call, definition, faults)
  await call.beforeReply?.()
  const broken = { reply, broken: refuse("broken"), gone: refuse("not-found"), pause: pauseReply }
  if (route.kind === "other" || (reply.status ?? 200) >= 300) return { reply }
  if (route.kind === "download") {
    const fault = faults.take("download")
    return fault === undefined ? { reply } : toFaultyFile(fault, broken)
  }
  const fault = faults.take(route.kind)
  return fault === undefined ? { reply } : toFaultyReply(fault, broken)
}

function isKnown(
  { isOpen }: StubRoute,
  call: StubCall,
  { isAuthorized }: StubDefinition,
  faults: FaultSwitches,
): boolean {
  return isOpen || (isAuthorized(call) && !faults.isKeyRevoked())
}

async function handle(
  route: StubRoute,
  call: StubCall,
  { refuse }: StubDefinition,
  faults: FaultSwitches,
): Promise<StubReply> {
  const isWhole = route.kind === "download" && faults.peek("download") === "without-ranges"
  if (isWhole) delete call.headers.range
  try {
    return await route.handle(call)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return refuse("malformed")
  }
}

/** The headers of a 429 that strikes now; undefined if none does. */
function takeBusy(
  kind: RouteKind,
  faults: FaultSwitches,
  now: number,
): Readonly<Record<string, string>> | undefined {
  if (kind !== "create" && kind !== "poll") return undefined
  const fault = faults.peek(kind)
  if (fault === undefined || !fault.startsWith("busy")) return undefined
  faults.take(kind)
  if (fault === "busy-seconds") return { "retry-after": String(BUSY_MS / 1_000) }
  // A date has whole seconds: the next one but one is at least a second away.
  const date = new Date(now + 2 * BUSY_MS).toUTCString()
  return fault === "busy-date" ? { "retry-after": date } : {}
}
