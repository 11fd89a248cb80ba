/**
 * POST /images/generations and /images/edits: a task like any other, waited for. A caller that leaves has the task
 * cancelled, unless it says that it may repeat the request: its repeat asks for the same task.
 */
import type { ModelInfo, Task } from "@safelight/client"
import type { Answer } from "../answers/answer.ts"
import { Refusal } from "../answers/refusal.ts"
import { findOrBuyTask } from "../calls/buy-task.ts"
import type { Call } from "../calls/call.ts"
import { mayRepeat } from "../calls/find-earlier.ts"
import { readMessage, type Message } from "../calls/read-message.ts"
import type { PlacedOptions } from "../options/place-options.ts"
import {
  readImageAnswer,
  toEditParameters,
  toImageParameters,
  toUserLabel,
} from "./read-options.ts"
import { showImages } from "./show-images.ts"

/** Rejects with a `Refusal` or an `ApiError`. */
export function generateImages(call: Call): Promise<Answer> {
  return makeImages(call, "image_generation", toImageParameters)
}

/** Rejects with a `Refusal` or an `ApiError`. */
export function editImages(call: Call): Promise<Answer> {
  return makeImages(call, "image_edit", toEditParameters)
}

async function makeImages(
  call: Call,
  event: "image_edit" | "image_generation",
  toParameters: (info: ModelInfo, message: Message) => PlacedOptions,
): Promise<Answer> {
  const message = await readMessage(call)
  const answer = readImageAnswer(message)
  const task = await findOrBuyTask(call, {
    message,
    makes: "image",
    labels: toUserLabel(message),
    toParameters: (info) => toParameters(info, message),
  })
  const ended = isFinished(task) ? task : await waitFor(call, task)
  if (ended.status === "failed") throw toFailure(ended)
  return showImages(call, ended, { ...answer, event: `${event}.completed` })
}

async function waitFor(call: Call, task: Task): Promise<Task> {
  const { cancel, client, left, patienceMs, request, signal } = call
  const over = AbortSignal.timeout(patienceMs)
  try {
    return await client.wait(task, { signal: AbortSignal.any([over, signal]) })
  } catch (error) {
    if (left.aborted && !mayRepeat(request)) await cancel(task.task_id)
    if (!signal.aborted && over.aborted) throw toUnfinished(task)
    throw error
  }
}

function isFinished({ status }: Task): boolean {
  return status === "succeeded" || status === "failed"
}

function toUnfinished({ task_id: id }: Task): Refusal {
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
