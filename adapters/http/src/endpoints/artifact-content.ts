/**
 * GET and HEAD of an artifact's bytes, by key or by a private link (http-decisions §5 and §6). By key every
 * fault has a code of its own; by a link all of them are one 404, and a link, if there is one, decides
 * alone. Expiry is judged by the moment at which the request came. Bytes are opened only if they are sent:
 * 304, 412, 416 and HEAD tell what the log says, whether the storage still has the bytes or not.
 */
import type { ArtifactReader, Artifact } from "@safelight/core"
import { planAnswer, type AnswerPlan } from "../content/answer-plan.ts"
import { createByteSource, isRange } from "../content/byte-source.ts"
import { decideContent, type Conditions } from "../content/conditions.ts"
import { CONTENT_TYPES, toEtag } from "../content/content-headers.ts"
import { openArtifact } from "../content/open-artifact.ts"
import type { ByteRange } from "../content/ranges.ts"
import { sendContent } from "../content/send-content.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import type { Refuse } from "../errors/refusal.ts"
import { countHeader, type Exchange } from "../pipeline/exchange.ts"
import { readAccess, toCrossOriginHeaders } from "./access-parameter.ts"
import { CROSS_ORIGIN_HEADERS, type ResponseHeaderName } from "../openapi/response-headers.ts"
import { textHeader, type HeaderParameter } from "../request/header-parameters.ts"
import { ARTIFACT_KEY, TASK_ID } from "../request/path-parameters.ts"
import type { Services } from "../pipeline/services.ts"
import { findFinished, findArtifact } from "./find-task.ts"

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

/** Two Range headers mean nothing. */
const range: HeaderParameter<string | null> = {
  ...textHeader("The bytes wanted, such as `bytes=0-499`; what makes no sense is ignored."),
  parse: (sent, exchange) => (countHeader(exchange, "range") > 1 ? null : sent),
}

export interface Content {
  readonly artifact: Artifact
  readonly finishedAt: number
  /** Set if a link opened it. */
  readonly linkEndsAt?: number
}

export const showContent = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task/artifacts/:key/content",
  about: {
    id: "getArtifactContent",
    tag: "Artifacts",
    summary: "The bytes of an artifact",
    description:
      "Without `access` it needs a key. With it, `OPTIONS` answers preflights of every origin.",
  },
  key: {
    scopes: ["artifacts:read"],
    rate: "content",
    unless: {
      name: "access",
      description:
        "The token of a private link. Where it stands, it alone decides, a key beside it or not; a " +
        "link that opens nothing is `not_found`, whatever the reason.",
      isThere: (request: Request) => readAccess(request) !== undefined,
    },
  },
  inPath: { task: TASK_ID, key: ARTIFACT_KEY },
  headers: {
    "If-Match": textHeader("Refuse with 412 unless the artifact has one of these entity tags."),
    "If-Unmodified-Since": textHeader("Refuse with 412 if the artifact is newer than this date."),
    "If-None-Match": textHeader("Answer 304 if the artifact has one of these entity tags."),
    "If-Modified-Since": textHeader("Answer 304 unless the artifact is newer than this date."),
    Range: range,
    "If-Range": textHeader("Apply `Range` only to this entity tag or `Last-Modified` date."),
  },
  answers: {
    200: { description: "The whole artifact.", types: CONTENT_TYPES, always: WHOLE },
    206: {
      description: "The part asked for; several parts come as `multipart/byteranges`.",
      types: [...CONTENT_TYPES, "multipart/byteranges"],
      always: WHOLE,
      sometimes: ["Content-Range"],
    },
    304: { description: "The caller's copy is still the artifact.", always: VALIDATORS },
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
  pathHeaders: {
    toHeaders: toCrossOriginHeaders,
    described: {
      names: CROSS_ORIGIN_HEADERS,
      on: [200, 206, 304, 404, 412, 416, 429, 500, 503],
    },
  },
}).handle((services) => {
  return async (call) => {
    const { caller, sent, startedAt: now, requestId } = call
    const content = await (caller === undefined
      ? openLink(call, services)
      : findByKey(call, services, caller.id))
    const { artifact, finishedAt } = content
    const conditions: Conditions = {
      method: call.method === "HEAD" ? "HEAD" : "GET",
      ifMatch: sent["If-Match"],
      ifUnmodifiedSince: sent["If-Unmodified-Since"],
      ifNoneMatch: sent["If-None-Match"],
      ifModifiedSince: sent["If-Modified-Since"],
      ifRange: sent["If-Range"],
      range: sent.Range,
    }
    const { bytes } = artifact
    const held = { etag: toEtag(artifact), lastModifiedAt: finishedAt, bytes }
    const decision = decideContent(conditions, held, now)
    const plan = planAnswer(decision, { ...content, now, requestId }, call.refuse)
    return answer(services, call, artifact, plan)
  }
})

type Finding = Exchange & {
  readonly refuse: Refuse<
    "artifact_expired" | "artifact_not_found" | "not_found" | "task_not_finished" | "task_not_found"
  >
}

async function findByKey(call: Finding, { service }: Services, account: string): Promise<Content> {
  const found = await findFinished(call, service, account)
  const artifact = findArtifact(call, found)
  if (call.startedAt >= artifact.expiresAt) throw call.refuse("artifact_expired")
  return { artifact, finishedAt: found.task.finishedAt }
}

/** Opens a link's artifact; rejects with the one refusal of a link, or 429. */
async function openLink(call: Finding, { links, rateLimit }: Services): Promise<Content> {
  const { param, request, startedAt: now } = call
  const names = { task: param("task"), key: param("key") }
  const linked = await links.openLink({ access: readAccess(request) ?? [], ...names, now })
  if (linked === undefined) throw call.refuse("not_found")
  const { artifact, linkEndsAt, account, task } = linked
  // Only now: somebody who guesses links must not use up an account's rate.
  await rateLimit(call, account, "content")
  return { artifact, linkEndsAt, finishedAt: task.finishedAt }
}

async function answer(
  { service, log }: Services,
  exchange: Exchange,
  artifact: Artifact,
  plan: AnswerPlan,
): Promise<Response> {
  function open(part?: ByteRange): Promise<ArtifactReader> {
    return openArtifact({ service, log, artifact, range: part })
  }
  if (plan.kind === "refused") throw plan.refusal
  if (plan.kind === "not-modified") {
    return new Response(null, { status: 304, headers: { ...plan.headers, ...exchange.headers } })
  }
  const { status, headers, segments } = plan
  const first = exchange.method === "HEAD" ? undefined : await open(segments.find(isRange))
  const source = createByteSource(segments, { first, open })
  return sendContent({ exchange, log, status, headers, source })
}
