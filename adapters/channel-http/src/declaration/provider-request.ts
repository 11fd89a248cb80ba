/** A request to a provider, its whole answer, and the function by which a declaration sends one. */
import type { AbortSignalLike, Json, JsonObject } from "@safelight/core"

/** An object of a request's JSON. A member that is undefined is not sent. */
export interface Body {
  readonly [member: string]: Json | Body | readonly Body[] | undefined
}

/** Relative to the provider's base unless `path` is an absolute URL of its own hosts. */
export interface ProviderRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json | Body | readonly Body[]
  /** In place of `json`. */
  readonly form?: FormData
}

/** A request with everything but its credentials: what a signature may cover. */
export interface RequestToAuthorize {
  readonly method: ProviderRequest["method"]
  readonly url: URL
  /** By name in lower case; those of `authorize` are added to them. */
  readonly headers: Readonly<Record<string, string>>
  /** Absent if the request has none. */
  readonly body?: Uint8Array | undefined
  /** Milliseconds since the Unix epoch, by the channel's clock. */
  readonly now: number
  /** Aborts as soon as the credentials would be too late. */
  readonly signal: AbortSignalLike
}

/** A body that is not JSON. */
export interface Content {
  /** Without its parameters, as the answer says: an output's own bytes have the last word. */
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** An answer in full. */
export interface Reply {
  readonly status: number
  /** The request that it answers: the channel sets it always, a test may leave it out. */
  readonly asked?: Pick<ProviderRequest, "method" | "path">
  /** By name in lower case; the first of several with one name. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the body is not JSON. */
  readonly json: Json | undefined
  /** Absent if the body is JSON or empty. */
  readonly content?: Content
  /** `Retry-After` in milliseconds, from seconds or a date. */
  readonly retryAfterMs: number | undefined
}

/** Sends a request that buys nothing, with the credentials. Rejects with `channel-unavailable`. */
export type Send = (request: ProviderRequest) => Promise<Reply>

/** The request with further members in its body, or in each object of a list. */
export function addMembers(request: ProviderRequest, members: Body): ProviderRequest {
  const { json } = request
  const add = (item: unknown): Body => (isObject(item) ? { ...item, ...members } : members)
  return { ...request, json: Array.isArray(json) ? json.map(add) : add(json) }
}

/** Whether the value has members: a list has none. */
export function isObject<Value>(value: Value): value is Value & JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
