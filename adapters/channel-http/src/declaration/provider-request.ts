/** A request to a provider, its whole answer, and the function by which a declaration sends one. */
import type { Json, JsonObject } from "@safelight/core"

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

/** An answer in full. */
export interface Reply {
  readonly status: number
  /** By name in lower case; the first of several with one name. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the body is not JSON. */
  readonly json: Json | undefined
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
