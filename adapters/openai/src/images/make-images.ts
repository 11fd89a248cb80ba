/**
 * POST /images/generations: a task like any other, waited for. A caller that leaves has the task cancelled, unless
 * it says that it may repeat the request: its repeat asks for the same task.
 */
import { randomUUID } from "node:crypto"
import { isApiError, jsonText, type ClientTask, type Task } from "@safelight/client"
import { Refusal, toRefusal } from "../answers/refusal.ts"
import type { Call } from "../calls/call.ts"
import { findEarlier, mayRepeat, REQUEST_LABEL, toRequestDigest } from "./find-earlier.ts"
import {
  readImageRequest,
  toImageParameters,
  toShape,
  type ImageRequest,
  type PlacedOptions,
} from "./read-options.ts"
import { showImages } from "./show-images.ts"

/** Rejects with a `Refusal` or an `ApiError`. */
export async function generateImages(call: Call): Promise<Response> {
  const asked = readImageRequest(call.message)
  const shape = toShape(asked)
  const task = await findOrBuy(call, asked)
  forget(asked)
  const ended = await waitFor(call, task)
  if (ended.status === "failed") throw toFailure(ended)
  return showImages(call, ended, shape)
}

/** A body may have megabytes, and the call waits for minutes. */
function forget({ given }: ImageRequest): void {
  for (const name of Object.keys(given)) delete (given as Record<string, unknown>)[name]
}

async function findOrBuy(call: Call, asked: ImageRequest): Promise<Task> {
  const { client, request, signal } = call
  const info = await client.model(asked.model, { signal })
  if (info.outputs.type !== "image") {
    const why = `${asked.model} makes ${info.outputs.type}, and no image.`
    throw new Refusal({ status: 400, code: "invalid_value", param: "model", message: why })
  }
  const placed = toImageParameters(info, asked)
  const digest = toRequestDigest(call)
  const given = request.headers.get("idempotency-key")
  // A key of the caller's own finds its task by itself.
  const earlier = given === null ? await findEarlier(call, digest) : undefined
  if (earlier !== undefined) return earlier
  const key = given ?? `openai-${randomUUID()}`
  return call.purchases.begin(digest, () => buy(call, { ...placed, asked, digest, key }))
}

interface Order extends PlacedOptions {
  readonly asked: ImageRequest
  readonly digest: string
  readonly key: string
}

/** The signal does not reach the submission: what was bought is cancelled afterwards. */
async function buy(call: Call, order: Order): Promise<Task> {
  const { asked, digest, key: idempotencyKey, names, parameters } = order
  const { client, maxCostMicros, purchases } = call
  const user = asked.user === undefined ? {} : { "openai-user": asked.user }
  const labels = { [REQUEST_LABEL]: digest, ...user }
  const terms = { idempotencyKey, maxCostMicros, labels }
  try {
    return await client.submit(asked.model, jsonText(JSON.stringify(parameters)), terms)
  } catch (error) {
    if (!isApiError(error) || error.code === "outcome_unknown") throw error
    purchases.refuse(digest)
    const own = error.param?.replace(/^parameters\./, "") ?? ""
    const { options } = toRefusal(error)
    throw new Refusal({ ...options, param: names.get(own) ?? options.param })
  }
}

async function waitFor(call: Call, task: Task): Promise<Task> {
  const { client, left, patienceMs, request, signal } = call
  const over = AbortSignal.timeout(patienceMs)
  try {
    return await client.wait(task.task_id, { signal: AbortSignal.any([over, signal]) })
  } catch (error) {
    if (left.aborted && !mayRepeat(request)) await client.cancel(task.task_id)
    if (!signal.aborted && over.aborted) throw toUnfinished(task)
    throw error
  }
}

function toUnfinished({ task_id: id }: Pick<ClientTask, "task_id">): Refusal {
  return new Refusal({
    status: 504,
    code: "task_not_finished",
    type: "server_error",
    message: `The task goes on: it is found at /v1/tasks/${id}, and by a repeat of this request.`,
    task: id,
  })
}

/** No status that OpenAI's libraries answer with a repeat, which would buy once more. */
function toFailure({ error, task_id: id }: Task): Refusal {
  const { code = "generation_error", message = "The task failed." } = error ?? {}
  const isContent = code === "content_policy_violation"
  return new Refusal({
    status: isContent ? 400 : 422,
    code: isContent ? "content_policy_violation" : "generation_failed",
    type: isContent ? "image_generation_user_error" : "image_generation_server_error",
    message,
    ours: code,
    task: id,
  })
}
