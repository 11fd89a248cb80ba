/**
 * Whole requests as fast-check draws them: credentials, media type, path, method and body, each
 * with what the service must make of it. Nothing here speaks of sockets; `wire.ts` writes a call
 * down as bytes.
 */
import type { ApiKeyScope } from "@safelight/core"
import * as fc from "fast-check"
import { BYTE_FAULT, breakBytes, writeJson } from "./json-text.ts"
import { CREATION } from "./parameters.ts"
import type { ServiceKeys } from "../in-process-service.ts"

/** Large enough for every drawn request, small enough to be passed by some. */
export const BODY_BYTES = 300_000

export interface Credential {
  readonly name: string
  readonly toHeader: (keys: ServiceKeys) => string | undefined
  /** The refusal; undefined for one that is good. */
  readonly code?: string
  /** What it lacks. */
  readonly lacks?: ApiKeyScope
}

export interface MediaHeaders {
  readonly headers: Readonly<Record<string, string>>
  readonly code?: string
}

/** What stands at a path: its methods and the scope that reading it takes. */
export interface Place {
  readonly target: string
  /** Absent where it is known only that nothing there may fail. */
  readonly kind?: "create" | "show" | "artifacts" | "content" | "health" | "nothing" | "too-long"
}

export interface GeneratedCall {
  readonly method: string
  readonly place: Place
  readonly credential: Credential
  readonly media: MediaHeaders
  readonly body: Uint8Array
  /** How a socket's client cuts the body; 0 sends it in one piece with its length. */
  readonly cutting: number
}

const GOOD: readonly Credential[] = [
  { name: "a key", toHeader: ({ whole }) => `Bearer ${whole}` },
  { name: "a key, lower case", toHeader: ({ whole }) => `bearer   ${whole}` },
]
const BAD: readonly Credential[] = [
  { name: "none", toHeader: () => undefined, code: "missing_api_key" },
  { name: "empty", toHeader: () => "", code: "missing_api_key" },
  { name: "bare", toHeader: ({ whole }) => whole, code: "invalid_api_key" },
  { name: "basic", toHeader: ({ whole }) => `Basic ${btoa(whole)}`, code: "invalid_api_key" },
  { name: "two", toHeader: ({ whole }) => `Bearer ${whole}, Bearer x`, code: "invalid_api_key" },
  { name: "cut", toHeader: ({ whole }) => `Bearer ${whole.slice(0, -1)}`, code: "invalid_api_key" },
  {
    name: "long",
    toHeader: ({ whole }) => `Bearer ${whole}${"0".repeat(4_000)}`,
    code: "invalid_api_key",
  },
  { name: "unknown", toHeader: ({ unknown }) => `Bearer ${unknown}`, code: "invalid_api_key" },
  { name: "revoked", toHeader: ({ revoked }) => `Bearer ${revoked}`, code: "api_key_revoked" },
  { name: "expired", toHeader: ({ expired }) => `Bearer ${expired}`, code: "api_key_expired" },
  { name: "reading", toHeader: ({ reading }) => `Bearer ${reading}`, lacks: "tasks:write" },
]
const JUNK_CREDENTIAL = fc
  .string({ unit: "binary-ascii", maxLength: 60 })
  .map((text) => `x${text.replaceAll(/[^\u0020-\u007e]/g, "")}`)
  .map((header): Credential => ({ name: header, toHeader: () => header, code: "invalid_api_key" }))

const JSON_TYPES: readonly MediaHeaders[] = [
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  'application/json;charset="UTF-8"',
  "application/json ; boundary=x",
].map((type) => ({ headers: { "content-type": type } }))
const OTHER_TYPES: readonly MediaHeaders[] = [
  {},
  { "content-type": "text/json" },
  { "content-type": "application/jsonp" },
  { "content-type": "application/json, application/json" },
  { "content-type": "application/json; charset=latin1" },
  { "content-type": "application/json; charset=utf-8; charset=utf-16" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-type": `text/${"x".repeat(3_000)}` },
].map((headers) => ({ headers, code: "unsupported_media_type" }))
const CODED: readonly MediaHeaders[] = ["gzip", "br, gzip", "x"].map((coding) => ({
  headers: { "content-type": "application/json", "content-encoding": coding },
  code: "unsupported_content_encoding",
}))

const MEDIA: fc.Arbitrary<MediaHeaders> = fc.oneof(
  { weight: 16, arbitrary: fc.constantFrom(...JSON_TYPES) },
  { weight: 1, arbitrary: fc.constantFrom(...OTHER_TYPES, ...CODED) },
)

const CREDENTIAL: fc.Arbitrary<Credential> = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom(...GOOD) },
  { weight: 2, arbitrary: fc.constantFrom(...BAD) },
  { weight: 1, arbitrary: JUNK_CREDENTIAL },
)

const CREATE: fc.Arbitrary<Place> = fc
  .constantFrom("/v1/tasks", "/v1/tasks", "/v1/tasks?x=%ff&x", "/v1/%74asks")
  .map((target) => ({ target, kind: "create" }))

const TASK_ID = fc.oneof(
  fc.uuid(),
  fc.constantFrom(
    "%ff",
    "%00",
    "%2e%2e%2fx",
    "..%2f",
    "x".repeat(3_000),
    "%F0%9F%92%A9",
    "'--",
    "%",
  ),
)
const PLACE: fc.Arbitrary<Place> = fc.oneof(
  TASK_ID.map((id): Place => ({ target: `/v1/tasks/${id}`, kind: "show" })),
  TASK_ID.map((id): Place => ({ target: `/v1/tasks/${id}/artifacts`, kind: "artifacts" })),
  fc.tuple(TASK_ID, TASK_ID).map(([id, key]): Place => ({
    target: `/v1/tasks/${id}/artifacts/${key}/content`,
    kind: "content",
  })),
  fc.constant<Place>({ target: "/healthz", kind: "health" }),
  fc
    .constantFrom("/", "/v1/tasks/", "/v1/Tasks", "/v1//tasks", "/v2/tasks", "/v1/tasks%2f", "/%")
    .map((target): Place => ({ target, kind: "nothing" })),
  fc.constant<Place>({ target: `/v1/tasks?${"x".repeat(9_000)}`, kind: "too-long" }),
  fc.webPath().map((target): Place => ({ target: `/${target}` })),
)

const BODY: fc.Arbitrary<Uint8Array> = fc
  .record({
    value: CREATION,
    style: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 0x7fffffff })),
    prefix: sometimes(fc.constantFrom("\uFEFF", "\uFEFF\uFEFF", " \uFEFF", "\u00a0"), ""),
    suffix: sometimes(fc.constantFrom("\n", "{}", ",", "\0", "//"), ""),
    size: sometimes(fc.constantFrom(BODY_BYTES - 1, BODY_BYTES, BODY_BYTES + 1), 0, 200),
    faults: sometimes(fc.array(BYTE_FAULT, { minLength: 1, maxLength: 4 }), [], 6),
  })
  .map(({ value, style, prefix, suffix, size, faults }) => {
    const text = `${prefix}${writeJson(value, style)}${suffix}`
    const bytes = breakBytes(Buffer.from(text), faults)
    const padding = Buffer.alloc(Math.max(0, size - bytes.length), " ")
    return Buffer.concat([bytes, padding])
  })

const METHODS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]

/** Mostly creations, with everything of them drawn; otherwise any method on any path. */
export const CALL: fc.Arbitrary<GeneratedCall> = fc
  .record({
    isCreation: sometimes(fc.constant(false), true, 8),
    create: CREATE,
    place: PLACE,
    method: fc.oneof(fc.constantFrom("GET", "HEAD"), fc.constantFrom(...METHODS)),
    methodOfCreation: sometimes(fc.constantFrom(...METHODS), "POST", 40),
    credential: CREDENTIAL,
    media: MEDIA,
    body: BODY,
    cutting: sometimes(fc.integer({ min: 1, max: 0x7fffffff }), 0, 2),
  })
  .map(({ isCreation, create, place, method, methodOfCreation, ...rest }) => ({
    ...rest,
    place: isCreation ? create : place,
    method: isCreation ? methodOfCreation : method,
  }))

function sometimes<Value>(
  arbitrary: fc.Arbitrary<Value>,
  otherwise: Value,
  weight = 20,
): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary })
}

/** Whether a body goes with the call at all: web-standard requests refuse one with GET or HEAD. */
export function hasBody({ method }: Pick<GeneratedCall, "method">): boolean {
  return method === "POST" || method === "PUT" || method === "PATCH"
}
