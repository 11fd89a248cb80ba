/**
 * The download of an artifact, by key or by a private link: ranges, conditions and digests by RFC
 * 9110 and 9530. HEAD takes no range, so it has neither 206 nor 416.
 */
import { CONTENT_TYPES } from "../content/content-headers.ts"
import type { Operation, Parameter } from "./operation.ts"
import { withHead } from "./operation.ts"
import { CROSS_ORIGIN_HEADERS, toHeaders, type ResponseHeaderName } from "./response-headers.ts"

export const TASK_ID: Parameter = {
  name: "task_id",
  in: "path",
  required: true,
  description: "The task's `task_id`.",
  schema: { type: "string", format: "uuid" },
}

export const ARTIFACT_KEY: Parameter = {
  name: "artifact_key",
  in: "path",
  required: true,
  description: "The artifact's `key`.",
  schema: { type: "string", examples: ["image_1", "video"] },
}

const ACCESS: Parameter = {
  name: "access",
  in: "query",
  required: false,
  description:
    "The token of a private link. Where it stands, it alone decides, a key beside it or not; a " +
    "link that opens nothing is `not_found`, whatever the reason.",
  schema: { type: "string" },
}

const CONDITIONS: readonly Parameter[] = [
  toCondition("If-Match", "Refuse with 412 unless the artifact has one of these entity tags."),
  toCondition("If-Unmodified-Since", "Refuse with 412 if the artifact is newer than this date."),
  toCondition("If-None-Match", "Answer 304 if the artifact has one of these entity tags."),
  toCondition("If-Modified-Since", "Answer 304 unless the artifact is newer than this date."),
  toCondition("Range", "The bytes wanted, such as `bytes=0-499`; what makes no sense is ignored."),
  toCondition("If-Range", "Apply `Range` only to this entity tag or `Last-Modified` date."),
]

function toCondition(name: string, description: string): Parameter {
  return { name, in: "header", required: false, description, schema: { type: "string" } }
}

const VALIDATORS: readonly ResponseHeaderName[] = [
  "X-Request-Id",
  "Cache-Control",
  "X-Content-Type-Options",
  "ETag",
  "Last-Modified",
  "Vary",
]

const WHOLE: readonly ResponseHeaderName[] = [
  ...VALIDATORS,
  "Content-Length",
  "Accept-Ranges",
  "Content-Disposition",
  "Repr-Digest",
  "Content-Security-Policy",
  "Referrer-Policy",
  "Cross-Origin-Resource-Policy",
]

export function contentOperations(): { get: Operation; head: Operation } {
  const { get, head } = withHead({
    id: "getArtifactContent",
    tag: "Artifacts",
    summary: "The bytes of an artifact",
    description:
      "Without `access` it needs a key. With it, `OPTIONS` answers preflights of every origin.",
    scopes: ["artifacts:read"],
    isKeyOptional: true,
    parameters: [TASK_ID, ARTIFACT_KEY, ACCESS, ...CONDITIONS],
    answers: {
      "200": {
        description: "The whole artifact.",
        headers: toHeaders({ always: WHOLE }),
        content: toContent(CONTENT_TYPES),
      },
      "206": {
        description: "The part asked for; several parts come as `multipart/byteranges`.",
        headers: toHeaders({ always: WHOLE, sometimes: ["Content-Range"] }),
        content: toContent([...CONTENT_TYPES, "multipart/byteranges"]),
      },
      "304": {
        description: "The caller's copy is still the artifact.",
        headers: toHeaders({ always: VALIDATORS }),
      },
    },
    refusals: [
      "task_not_found",
      "artifact_not_found",
      "task_not_finished",
      "artifact_expired",
      "not_found",
      "precondition_failed",
      "range_not_satisfiable",
      "storage_unavailable",
    ],
  })
  return { get: withCrossOrigin(get), head: withCrossOrigin(head) }
}

/** The statuses that a request with `access` may meet. */
const LINK_STATUSES = ["200", "206", "304", "404", "412", "416", "429", "500", "503"]

function withCrossOrigin(operation: Operation): Operation {
  const headers = toHeaders({ always: [], sometimes: CROSS_ORIGIN_HEADERS })
  const responses = Object.entries(operation.responses).map(([status, response]) =>
    LINK_STATUSES.includes(status)
      ? [status, { ...response, headers: { ...response.headers, ...headers } }]
      : [status, response],
  )
  return { ...operation, responses: Object.fromEntries(responses) as Operation["responses"] }
}

/** OpenAPI 3.1 describes bytes by the absence of a schema. */
function toContent(types: readonly string[]): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, {}]))
}
