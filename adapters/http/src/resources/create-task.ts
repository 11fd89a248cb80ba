/**
 * POST /v1/tasks: 202 once the task is durable. The order of refusals is that of http-decisions
 * §1; a client that leaves while the task is accepted cancels nothing.
 */
import { isSafelightError, type SubmitRequest, type Task, type TaskService } from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import type { BodyPieces } from "../body/body-pieces.ts"
import type { CreationReader } from "../body/creation-reader.ts"
import { checkMediaType } from "../body/media-type.ts"
import { receiveNodeBody } from "../body/node-body.ts"
import type { BodyReader, BodyRequest } from "../body/read-body.ts"
import { receiveWebBody } from "../body/web-body.ts"
import { Refusal } from "../errors/refusal.ts"
import { carryHeaders, type Exchange, type Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { readHops } from "./hops.ts"
import { readIdempotencyKey } from "./idempotency-key.ts"
import type { PublicPrefix } from "./public-prefix.ts"
import { toSubmissionRefusal } from "./submission-refusal.ts"
import { toTaskPath, toTaskText } from "./task-body.ts"

export interface CreateTaskOptions {
  readonly service: TaskService
  readonly admit: Admit
  readonly bodyReader: BodyReader
  readonly readCreation: CreationReader
  readonly prefix: PublicPrefix
  /** The ids that a caller may choose from. */
  readonly models: readonly string[]
}

/** What is known of a creation before its body is read. */
interface Creation {
  readonly account: string
  readonly idempotencyKey: string | undefined
  readonly hops: number
  readonly exchange: Exchange
}

export function createCreateTask(options: CreateTaskOptions): Resource {
  const { service, admit, bodyReader, readCreation, prefix, models } = options

  async function submit(pieces: BodyPieces, creation: Creation): Promise<Response> {
    const request = await toSubmitRequest(readCreation, pieces, creation)
    const result = await service.submit(request).catch((error: unknown) => {
      throw toRetryable(error, creation)
    })
    if (result.kind === "rejected") throw toSubmissionRefusal(result.rejection, models)
    return toAccepted(result.task, result.isReplayed, creation.exchange, prefix())
  }

  return {
    path: "/v1/tasks",
    methods: {
      async POST(exchange) {
        const { request, node } = exchange
        const { headers } = request
        const account = await admit(exchange, { scopes: ["tasks:write"], policy: "create" })
        checkMediaType(headers.get("content-type"), headers.get("content-encoding"))
        const idempotencyKey = readIdempotencyKey(exchange)
        const hops = readHops(headers)
        const declaredLength = headers.get("content-length")
        const receive = toReceive(request, node)
        return bodyReader.read({ account: account.id, declaredLength, receive }, (pieces) =>
          submit(pieces, { account: account.id, idempotencyKey, hops, exchange }),
        )
      },
    },
  }
}

function toReceive(request: Request, node: Exchange["node"]): BodyRequest["receive"] {
  if (node === undefined) return (sink) => receiveWebBody(request, sink)
  return (sink) => receiveNodeBody(node, sink)
}

/** Throws a `Refusal` for a body that is no creation request. */
async function toSubmitRequest(
  readCreation: CreationReader,
  pieces: BodyPieces,
  { account, idempotencyKey: key, hops, exchange }: Creation,
): Promise<SubmitRequest> {
  const question = { wantsFingerprint: key !== undefined }
  const { fingerprint, ...request } = await readCreation(pieces, question, exchange.threads)
  const passed = hops === 0 ? {} : { hops }
  if (key === undefined || fingerprint === undefined) return { account, ...request, ...passed }
  return { account, ...request, ...passed, idempotency: { key, fingerprint } }
}

function toAccepted(task: Task, isReplayed: boolean, exchange: Exchange, prefix: string): Response {
  exchange.task = task.id
  const headers = carryHeaders(exchange, { location: `${prefix}${toTaskPath(task.id)}` })
  if (isReplayed) headers["idempotent-replayed"] = "true"
  const { requestId } = exchange
  const text = toTaskText(task, prefix)
  return jsonResponse({ status: 202, text, requestId, method: "POST", headers })
}

/** With an idempotency key a repeated POST is no second purchase, so it is not warned of. */
function toRetryable(error: unknown, { idempotencyKey }: Creation): unknown {
  if (idempotencyKey === undefined || !isSafelightError(error)) return error
  if (error.code !== "outcome-unknown") return error
  return new Refusal("outcome_unknown", { headers: { "retry-after": "5" }, cause: error })
}
