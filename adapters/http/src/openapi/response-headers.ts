/**
 * Every header that an answer may carry, described once. `Content-Type` is not among them: OpenAPI
 * says it by the media type, and ignores a header of that name.
 */
const string = { type: "string" } as const

export const RESPONSE_HEADERS = {
  "X-Request-Id": {
    description: "Names the request; quote it when you ask for help.",
    schema: { type: "string", pattern: "^req_[0-9a-f]{24}$" },
  },
  "Cache-Control": { description: "How long the answer may be kept.", schema: string },
  "X-Content-Type-Options": { description: "Always `nosniff`.", schema: { const: "nosniff" } },
  "X-Accel-Buffering": {
    description: "Always `no`: a proxy is to pass each event on at once.",
    schema: { const: "no" },
  },
  Location: { description: "The task's address, relative to the service's.", schema: string },
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer", minimum: 1 },
  },
  "X-Should-Retry": {
    description: "`false`: look for the task before you send the request again.",
    schema: { const: "false" },
  },
  "Idempotent-Replayed": {
    description: "`true`: the task of an earlier request with this key, as it stands now.",
    schema: { const: "true" },
  },
  "Preference-Applied": {
    description: "`wait=N`: the task is finished, or N seconds have passed (RFC 7240).",
    schema: { type: "string", pattern: "^wait=[0-9]+$" },
  },
  "RateLimit-Policy": {
    description: 'The rate that counts: `"create";q=60;w=60` is 60 requests in 60 seconds.',
    schema: { type: "string", pattern: '^"(create|read|content)";q=[0-9]+;w=[0-9]+$' },
  },
  RateLimit: {
    description: "How many requests remain (`r`), and in how many seconds it is one more (`t`).",
    schema: { type: "string", pattern: '^"(create|read|content)";r=[0-9]+;t=[1-9][0-9]*$' },
  },
  "WWW-Authenticate": { description: "What is lacking (RFC 6750 §3).", schema: string },
  Accept: { description: "The type a body must have.", schema: { const: "application/json" } },
  "Accept-Encoding": { description: "The coding a body may have.", schema: { const: "identity" } },
  Allow: { description: "The methods the path takes.", schema: string },
  ETag: {
    description: "A strong entity tag, made from the SHA-256 of the bytes.",
    schema: { type: "string", pattern: '^"[0-9a-f]{64}"$' },
  },
  "Last-Modified": { description: "When the task finished.", schema: string },
  Vary: { description: "The request headers the answer depends on.", schema: string },
  "Content-Length": {
    description: "The bytes of the body, or those that GET would send.",
    schema: { type: "integer", minimum: 0 },
  },
  "Content-Encoding": {
    description: "How the body is compressed.",
    schema: { enum: ["br", "gzip"] },
  },
  "Accept-Ranges": { description: "Always `bytes`.", schema: { const: "bytes" } },
  "Content-Range": {
    description: "Which bytes these are: `bytes 0-499/1000`, or `bytes */1000` for none.",
    schema: { type: "string", pattern: "^bytes ([0-9]+-[0-9]+|\\*)/[0-9]+$" },
  },
  "Content-Disposition": { description: "A name to save the file by.", schema: string },
  "Repr-Digest": {
    description: "The SHA-256 of the whole artifact (RFC 9530), for a part of it too.",
    schema: { type: "string", pattern: "^sha-256=:[A-Za-z0-9+/]{43}=:$" },
  },
  "Content-Security-Policy": { description: "What a browser may do with it.", schema: string },
  "Referrer-Policy": { description: "Always `no-referrer`.", schema: { const: "no-referrer" } },
  "Cross-Origin-Resource-Policy": {
    description: "`cross-origin` through a private link, `same-site` by key.",
    schema: { enum: ["same-site", "cross-origin"] },
  },
  "Access-Control-Allow-Origin": {
    description: "Always `*`, on every answer to a request with `access`, and on no other.",
    schema: { const: "*" },
  },
  "Access-Control-Expose-Headers": {
    description: "What scripts of other origins may read.",
    schema: string,
  },
} as const

export type ResponseHeaderName = keyof typeof RESPONSE_HEADERS

/** What all JSON answers carry. */
export const JSON_HEADERS = ["X-Request-Id", "Cache-Control", "X-Content-Type-Options"] as const

/** The CORS headers of an answer to a request with `access`. */
export const CROSS_ORIGIN_HEADERS = [
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
] as const

/** On every answer that was counted against a rate; an account may have none. */
export const RATE_HEADERS = ["RateLimit-Policy", "RateLimit"] as const

export interface HeaderList {
  /** On every answer of this status. */
  readonly always: readonly ResponseHeaderName[]
  /** On some. */
  readonly sometimes?: readonly ResponseHeaderName[]
}

/** The `headers` of a response; those on every answer of its status are marked as required. */
export function toHeaders({ always, sometimes = [] }: HeaderList): Record<string, object> {
  return {
    ...Object.fromEntries(
      always.map((name) => [name, { ...RESPONSE_HEADERS[name], required: true }]),
    ),
    ...Object.fromEntries(sometimes.map((name) => [name, RESPONSE_HEADERS[name]])),
  }
}
