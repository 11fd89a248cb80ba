/**
 * GET and HEAD of an artifact's bytes (http-decisions §5). The clock is read once, when the
 * request starts. The storage is opened before anything is answered, a 304 too: what is gone is a
 * 410 and what can't be read a 503, whatever a client's copy is worth.
 */
import {
  isSafelightError,
  SafelightError,
  type ArtifactReader,
  type ArtifactRow,
  type Clock,
  type Log,
  type Task,
  type TaskService,
} from "@safelight/core"
import type { Authenticate } from "../authentication/authenticate.ts"
import { planAnswer, type AnswerPlan } from "../content/answer-plan.ts"
import { createByteSource, isRange } from "../content/byte-source.ts"
import { decideContent, type Conditions, type ContentDecision } from "../content/conditions.ts"
import { toEtag } from "../content/content-headers.ts"
import type { ByteRange } from "../content/ranges.ts"
import { sendContent } from "../content/send-content.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange, Resource } from "../exchange.ts"
import { findFinished } from "./find-task.ts"

export interface ArtifactContentOptions {
  readonly service: TaskService
  readonly authenticate: Authenticate
  readonly clock: Pick<Clock, "now">
  readonly log: Log
}

export function createArtifactContent(options: ArtifactContentOptions): Resource {
  const { service, authenticate, clock, log } = options

  async function answer(
    exchange: Exchange,
    artifact: ArtifactRow,
    plan: AnswerPlan,
  ): Promise<Response> {
    function open(range?: ByteRange): Promise<ArtifactReader> {
      return openChecked({ service, log, artifact, range })
    }
    const first = await open(toFirstRange(exchange, artifact, plan))
    if (plan.kind !== "bytes") {
      await first.close()
      if (plan.kind === "refused") throw plan.refusal
      return new Response(null, { status: 304, headers: plan.headers })
    }
    const { status, segments } = plan
    const source = createByteSource({ segments, first, open })
    const headers = { ...plan.headers, "content-length": String(source.lengthBytes) }
    if (exchange.method !== "HEAD") return sendContent({ exchange, log, status, headers, source })
    await source.close()
    return new Response(null, { status, headers })
  }

  return {
    path: "/v1/tasks/:task/artifacts/:key/content",
    methods: {
      async GET(exchange) {
        const now = clock.now()
        const { request, requestId } = exchange
        const account = await authenticate(request.headers.get("authorization"), "artifacts:read")
        const found = await findFinished(service, account, exchange.param("task"))
        const artifact = findLive(found.artifacts, exchange.param("key"), now)
        const decision = decide(exchange, artifact, found.task, now)
        const { finishedAt } = found.task
        return answer(
          exchange,
          artifact,
          planAnswer(decision, { artifact, finishedAt, now, requestId }),
        )
      },
    },
  }
}

function findLive(artifacts: readonly ArtifactRow[], key: string, now: number): ArtifactRow {
  const artifact = artifacts.find((each) => each.key === key)
  if (artifact === undefined) throw new Refusal("artifact_not_found")
  if (now >= artifact.expiresAt) throw new Refusal("artifact_expired")
  return artifact
}

function decide(
  exchange: Exchange,
  artifact: ArtifactRow,
  task: Task,
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
    { etag: toEtag(artifact), lastModifiedAt: task.finishedAt, bytes },
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
  readonly artifact: ArtifactRow
  readonly range: ByteRange | undefined
}

/** Opens bytes whose stored size is what the manifest says; tells the log where it is not. */
async function openChecked({
  service,
  log,
  artifact,
  range,
}: OpenOptions): Promise<ArtifactReader> {
  const named = { task: artifact.task, artifact: artifact.key }
  let reader: ArtifactReader
  try {
    reader = await service.openArtifact({ artifact, ...range })
  } catch (error) {
    if (isSafelightError(error) && error.code === "artifact-missing") {
      log.error(named, "an artifact's bytes are missing before its time")
    }
    throw error
  }
  if (reader.totalBytes === artifact.bytes) return reader
  await reader.close()
  const message = `an artifact has ${reader.totalBytes} bytes and should have ${artifact.bytes}`
  log.error(named, message)
  throw new SafelightError({ code: "artifacts-unavailable", message })
}
