/**
 * What the service must answer to a generated call, by the order of checks of http-decisions §1.
 * Only the models' own check is shared with the service; JSON, media types, credentials and paths
 * are judged by what the call was drawn as.
 */
import { MODELS, type ParameterIssue } from "@safelight/core"
import { BODY_BYTES, hasBody, type GeneratedCall } from "./calls.ts"
import { readStrictJson } from "./strict-json.ts"

export interface Expectation {
  /** Undefined where any answer but a failure of ours will do. */
  readonly status: number | undefined
  /** Codes that an error body may carry; empty where there is no error. */
  readonly codes: readonly string[]
  /** What the error says of parameters, where that is known. */
  readonly issues?: readonly Pick<ParameterIssue, "param">[]
}

export const STATUSES: Readonly<Record<string, number>> = {
  route_not_found: 404,
  task_not_found: 404,
  artifact_not_found: 404,
  method_not_allowed: 405,
  missing_api_key: 401,
  invalid_api_key: 401,
  api_key_revoked: 401,
  api_key_expired: 401,
  insufficient_scope: 403,
  unsupported_media_type: 415,
  unsupported_content_encoding: 415,
  request_too_large: 413,
  request_timeout: 408,
  headers_too_large: 431,
  uri_too_long: 414,
  service_unavailable: 503,
  storage_unavailable: 503,
}

export const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  503: "api_error",
}

export function expectAnswer(call: GeneratedCall): Expectation {
  const { method, place } = call
  if (place.kind === undefined) return { status: undefined, codes: [] }
  if (place.kind === "too-long") return refuse("uri_too_long")
  if (place.kind === "nothing") return refuse("route_not_found")
  if (method === "OPTIONS") return { status: 204, codes: [] }
  if (method === "GET" || method === "HEAD") return expectRead(call)
  if (place.kind !== "create" || method !== "POST") return refuse("method_not_allowed")
  return expectPost(call)
}

function expectPost({ credential, media, body }: GeneratedCall): Expectation {
  if (credential.code !== undefined) return refuse(credential.code)
  if (credential.lacks !== undefined) return refuse("insufficient_scope")
  if (media.code !== undefined) return refuse(media.code)
  return body.length > BODY_BYTES ? refuse("request_too_large") : expectCreation(body)
}

function expectRead({ place, credential }: GeneratedCall): Expectation {
  if (place.kind === "health") return { status: 200, codes: [] }
  if (credential.code !== undefined) return refuse(credential.code)
  return place.kind === "create" ? expectList(place.target) : refuse("task_not_found")
}

/** The same path lists the account's tasks; no drawn query is one that it takes. */
function expectList(target: string): Expectation {
  return target.includes("?") ? refuse("unknown_parameter") : { status: 200, codes: [] }
}

/** What becomes of a body that an account with every right sends as JSON. */
export function expectCreation(body: Uint8Array): Expectation {
  const json = readStrictJson(body)
  if (json.kind === "refused") return refuse(...json.codes)
  const issues = findShapeIssues(json.value)
  if (issues.length > 0) return { status: 400, codes: issues.map(({ code }) => code), issues }
  const members = json.value as { model?: unknown; parameters?: unknown } | null
  if (typeof members !== "object" || members === null || Array.isArray(members)) {
    return refuse("invalid_type")
  }
  const model = MODELS.find(({ id }) => id === members.model)
  if (model === undefined) {
    return { status: 400, codes: ["model_not_found"], issues: [{ param: "model" }] }
  }
  const check = model.check(members.parameters)
  if (check.kind === "valid") return { status: 202, codes: [] }
  return { status: 400, codes: [check.issues[0]?.code ?? ""], issues: check.issues }
}

function refuse(...codes: readonly string[]): Expectation {
  return { status: STATUSES[codes[0] ?? ""] ?? 400, codes }
}

interface ShapeIssue {
  readonly param: string
  readonly code: string
}

/** The names of unknown members are cut at 100 characters, so only theirs may differ. */
function findShapeIssues(value: unknown): readonly ShapeIssue[] {
  if (!isObject(value)) return []
  const members = new Map(Object.entries(value))
  const issues: ShapeIssue[] = []
  for (const param of ["model", "parameters"]) {
    const member = members.get(param)
    const isRight = param === "model" ? typeof member === "string" : isObject(member)
    if (isRight) continue
    const code = members.has(param) ? "invalid_type" : "missing_required_parameter"
    issues.push({ param, code })
  }
  for (const name of members.keys()) {
    if (name === "model" || name === "parameters") continue
    issues.push({ param: name, code: "unknown_parameter" })
  }
  return issues
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A line that tells a call, for a failure's message. */
export function describeCall(call: GeneratedCall): string {
  const { method, place, credential, media, body, cutting } = call
  const text = hasBody(call) ? Buffer.from(body).toString("latin1").slice(0, 2_000) : ""
  const headers = JSON.stringify(media.headers)
  const cut = cutting === 0 ? "whole" : `cut by ${cutting}`
  return `${method} ${place.target.slice(0, 200)} [${credential.name}] ${headers} ${cut}\n${text}`
}
