/**
 * The parts of a stub that differ between providers: hosts, credentials, refusals, routes, and faults of its
 * own. All stubs share the rest.
 */
import type { Clock } from "@safelight/core"
import type { StubPurchase } from "./running-stub.ts"
import type { StubCall } from "./stub-call.ts"
import type { StubFiles } from "./stub-files.ts"
import type { StubReply, StubRoute } from "./stub-route.ts"
import type { TextSocket } from "./text-socket.ts"
import type { StubWebhooks } from "./stub-webhooks.ts"

export type Refusal =
  | "unauthorized"
  | "unknown-path"
  | "not-found"
  | "malformed"
  | "busy"
  | "broken"
  | "too-large"

export interface StubDefinition {
  /** Every host of the provider that is served. */
  readonly hosts: readonly string[]
  /** The one of `hosts` at which its files are. */
  readonly filesHost: string
  readonly ownFaults: readonly string[]
  readonly isAuthorized: (call: StubCall) => boolean
  /** The provider's answer in that case. */
  readonly refuse: (reason: Refusal) => StubReply
  readonly createRoutes: (context: StubContext) => readonly StubRoute[]
}

/** A path that the provider doesn't know is refused like an unknown job, unless it has an entry of its own. */
export type Refusals<Entry> = Readonly<Record<Exclude<Refusal, "unknown-path">, Entry>> & {
  readonly "unknown-path"?: Entry
}

export function refuseWith(refusals: Refusals<StubReply>): StubDefinition["refuse"] {
  return (reason) => refusals[reason] ?? refusals["not-found"]
}

/** The same for refusals that one function words. */
export function refuseBy<Words extends readonly unknown[]>(
  toReply: (...words: Words) => StubReply,
  refusals: Refusals<Words>,
): StubDefinition["refuse"] {
  return (reason) => toReply(...(refusals[reason] ?? refusals["not-found"]))
}

/** Passed to every handler. */
export interface StubContext {
  readonly clock: Clock
  readonly queueMs: number
  readonly runMs: number
  readonly slowMs: number
  readonly webhookSecret: string
  readonly files: StubFiles
  readonly webhooks: StubWebhooks
  readonly refuse: (reason: Refusal) => StubReply
  /** A moment by the provider's clock, which `skewMs` may set wrong; the current one by default. */
  toldAt(at?: number): number
  /** An absolute URL at the stub. */
  toUrl(this: void, path: string): string
  record(purchase: Omit<StubPurchase, "at">): void
  /** Whether a fault of this provider alone strikes now. */
  strikes(this: void, ownFault: string): boolean
  /** Ends early when the stub closes, or when `over` aborts. */
  waitUntil(at: number, over?: AbortSignal): Promise<void>
  /** The same, for a wait on which no answer depends. */
  waitAside(at: number, over?: AbortSignal): Promise<void>
  /** Accepts WebSockets at a path. */
  onSocket(path: string, listener: (call: StubCall, socket: TextSocket) => void): void
}

/** Whether a stub takes the text for a key: any text but the empty one and `invalid`. */
export function isKey(text: string | undefined): boolean {
  return text !== undefined && text !== "" && text !== "invalid"
}

/** Whether the Authorization header has a key under that scheme. */
export function hasScheme(call: StubCall, scheme: string): boolean {
  const [name, key, ...rest] = (call.headers.authorization ?? "").split(" ")
  return name?.toLowerCase() === scheme.toLowerCase() && isKey(key) && rest.length === 0
}
