/**
 * GET and HEAD of an artifact's bytes (http-decisions §5). The clock is read once, when the
 * request starts. The storage is opened before anything is answered, a 304 too: what can't be read,
 * or is missing before its time, is a 503, whatever a client's copy is worth.
 */
import {
  isSafelightError,
  SafelightError,
  type ArtifactReader,
  type ArtifactRow,
  type Clock,
  type Log,
  type TaskService,
} from "@safelight/core"
import { planAnswer, type AnswerPlan } from "../content/answer-plan.ts"
import { createByteSource, isRange } from "../content/byte-source.ts"
import { decideContent, type Conditions, type ContentDecision } from "../content/conditions.ts"
import { toEtag } from "../content/content-headers.ts"
import type { ByteRange } from "../content/ranges.ts"
import { sendContent } from "../content/send-content.ts"
import type { Exchange, Resource } from "../exchange.ts"
import { toCrossOriginHeaders } from "./access-parameter.ts"
import type { Content, FindContent } from "./find-content.ts"

export interface ArtifactContentOptions {
  readonly service: TaskService
  readonly findContent: FindContent
  readonly clock: Pick<Clock, "now">
  readonly log: Log
}

export function createArtifactContent(options: ArtifactContentOptions): Resource {
  const { service, findContent, clock, log } = options

  async function answer(exchange: Exchange, content: Content, plan: AnswerPlan): Promise<Response> {
    function open(range?: ByteRange): Promise<ArtifactReader> {
      return openChecked({ service, log, content, range })
    }
    const first = await open(toFirstRange(exchange, content.artifact, plan))
    if (plan.kind !== "bytes") {
      await first.close()
      if (plan.kind === "refused") throw plan.refusal
      return new Response(null, { status: 304, headers: plan.headers })
    }
    const { status, segments } = plan
    const source = createByteSource({ segments, first, open })
    const headers = {
      ...plan.headers,
      ...exchange.headers,
      "content-length": String(source.lengthBytes),
    }
    if (exchange.method !== "HEAD") return sendContent({ exchange, log, status, headers, source })
    await source.close()
    return new Response(null, { status, headers })
  }

  return {
    path: "/v1/tasks/:task/artifacts/:key/content",
    headersFor: toCrossOriginHeaders,
    methods: {
      async GET(exchange) {
        const now = clock.now()
        const { requestId } = exchange
        const content = await findContent(exchange, now)
        const decision = decide(exchange, content, now)
        return answer(exchange, content, planAnswer(decision, { ...content, now, requestId }))
      },
    },
  }
}

function decide(
  exchange: Exchange,
  { artifact, finishedAt }: Content,
  now: number,
): ContentDecision {
  const { headers } = exchange.request
  const conditions: Conditions = {
    method: exchange.method === "HEAD" ? "HEAD" : "GET",
    ifMatch: headers.get("if-match"),
    ifUnmodifiedSince: headers.get("if-unmodified-since"),
    ifNoneMatch: headers.get("if-none-match"),
    ifModifiedSince: headers.get("if-modified-since"),
    ifRange: headers.get("if-range"),
    range: toRangeHeader(exchange),
  }
  const { bytes } = artifact
  return decideContent(
    conditions,
    { etag: toEtag(artifact), lastModifiedAt: finishedAt, bytes },
    now,
  )
}

/** Two Range headers mean nothing; web-standard headers have joined them, Node still knows. */
function toRangeHeader({ request, node }: Exchange): string | null {
  const sent = node?.incoming.headersDistinct["range"]
  return sent !== undefined && sent.length > 1 ? null : request.headers.get("range")
}

/** What is opened before the headers go out: as little as will do where no bytes follow. */
function toFirstRange(
  { method }: Exchange,
  artifact: ArtifactRow,
  plan: AnswerPlan,
): ByteRange | undefined {
  if (artifact.bytes === 0) return undefined
  const ranges = plan.kind === "bytes" && method !== "HEAD" ? plan.segments : []
  return ranges.find(isRange) ?? { start: 0, end: 0 }
}

interface OpenOptions {
  readonly service: TaskService
  readonly log: Log
  readonly content: Content
  readonly range: ByteRange | undefined
}

/** Opens bytes whose stored size is what the manifest says; tells the log where it is not. */
async function openChecked({ service, log, content, range }: OpenOptions): Promise<ArtifactReader> {
  const { artifact } = content
  const named = { task: artifact.task, artifact: artifact.key }
  let reader: ArtifactReader
  try {
    reader = await service.openArtifact({ artifact, ...range })
  } catch (error) {
    if (!isSafelightError(error) || error.code !== "artifact-missing") throw error
    // A 410 would tell clients that it is gone for good: that is true of what has expired alone.
    const message = "an artifact's bytes are missing before its time"
    log.error({ ...named, error }, message)
    throw new SafelightError({ code: "artifacts-unavailable", message, cause: error })
  }
  if (reader.totalBytes === artifact.bytes) return reader
  await reader.close()
  const message = `an artifact has ${reader.totalBytes} bytes and should have ${artifact.bytes}`
  log.error(named, message)
  throw new SafelightError({ code: "artifacts-unavailable", message })
}
