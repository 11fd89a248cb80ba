/**
 * POST /images/generations: a task like any other, waited for. A caller that leaves has the task cancelled, unless
 * it says that it may repeat the request: its repeat asks for the same task.
 */
import { randomUUID } from "node:crypto"
import { jsonText, type ClientTask, type Task } from "@safelight/client"
import { Refusal } from "../answers/refusal.ts"
import type { Call } from "../calls/call.ts"
import { findEarlier, mayRepeat, REQUEST_LABEL, toRequestDigest } from "./find-earlier.ts"
import { readImageRequest, toImageParameters, type ImageRequest } from "./read-options.ts"
import { showImages } from "./show-images.ts"

/** Rejects with a `Refusal` or an `ApiError`. */
export async function generateImages(call: Call): Promise<Response> {
  const asked = readImageRequest(call.message)
  const task = await findOrBuy(call, asked)
  const ended = await waitFor(call, task)
  if (ended.status === "failed") throw toFailure(ended)
  return showImages(call, ended, asked)
}

async function findOrBuy(call: Call, asked: ImageRequest): Promise<Task> {
  const { client, request, signal } = call
  const info = await client.model(asked.model, { signal })
  const { extras = [], type } = info.outputs
  if (![type, ...extras.map((each) => each.type)].includes("image")) {
    const why = `${asked.model} makes ${type}, and no image.`
    throw new Refusal({ status: 400, code: "invalid_value", param: "model", message: why })
  }
  const parameters = toImageParameters(info, asked)
  const digest = toRequestDigest(call)
  const given = request.headers.get("idempotency-key")
  // A key of the caller's own finds its task by itself.
  const earlier = given === null ? await findEarlier(call, digest) : undefined
  if (earlier !== undefined) return earlier
  const labels = {
    [REQUEST_LABEL]: digest,
    ...(asked.user !== undefined && { "openai-user": asked.user }),
  }
  // The signal does not reach the submission: what was bought is cancelled afterwards.
  return client.submit(asked.model, jsonText(JSON.stringify(parameters)), {
    idempotencyKey: given ?? `openai-${randomUUID()}`,
    maxCostMicros: call.maxCostMicros,
    labels,
  })
}

async function waitFor(call: Call, task: Task): Promise<Task> {
  const { client, patienceMs, request, signal } = call
  const over = AbortSignal.timeout(patienceMs)
  try {
    return await client.wait(task.task_id, { signal: AbortSignal.any([over, signal]) })
  } catch (error) {
    if (signal.aborted && !mayRepeat(request)) await client.cancel(task.task_id)
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
