/** POST /videos: a task that makes a video. It is answered as soon as it is accepted. */
import { isApiError, type ModelInfo } from "@safelight/client"
import { placeDuration, placeFirstFrame } from "@safelight/client/parameters"
import { answerJson, type Answer } from "../answers/answer.ts"
import { invalid } from "../answers/refusal.ts"
import { findOrBuyTask } from "../calls/buy-task.ts"
import type { Call } from "../calls/call.ts"
import { readMessage, toMediaUrl, type Message } from "../calls/read-message.ts"
import { placeOptions, type PlacedOptions } from "../options/place-options.ts"
import { placeVideoSize } from "../options/place-size.ts"
import { answerVideo, toVideo, VIDEO_LABEL } from "./video.ts"

/** Rejects with a `Refusal` or an `ApiError`. */
export async function createVideo(call: Call): Promise<Answer> {
  const message = await readMessage(call)
  const seconds = readSeconds(message)
  const { size } = message.members
  const labels: Readonly<Record<string, string>> = {
    [VIDEO_LABEL.kind]: "video",
    ...(seconds !== undefined && { [VIDEO_LABEL.seconds]: String(seconds) }),
    ...(typeof size === "string" && SIZE.test(size) && { [VIDEO_LABEL.size]: size }),
  }
  const task = await findOrBuyTask(call, {
    message,
    makes: "video",
    labels,
    toParameters: (info) => toVideoParameters(info, message, seconds),
  })
  try {
    return await answerVideo(call, task)
  } catch (error) {
    if (!isApiError(error)) throw error
    // It is bought, so that is what the caller is told, though no more is known of it.
    const known = { size: labels[VIDEO_LABEL.size], seconds: labels[VIDEO_LABEL.seconds] }
    return answerJson(toVideo(task, known), { headers: { "x-safelight-task-id": task.task_id } })
  }
}

/** What a label can hold of it. A model's own options may have other sizes than `1280x720`. */
const SIZE = /^[!-~]{1,40}$/

/** OpenAI's are `4`, `8` and `12`, as texts. Throws a `Refusal`. */
function readSeconds({ members: { seconds } }: Message): number | undefined {
  if (seconds === undefined || seconds === null) return undefined
  const text = typeof seconds === "number" ? String(seconds) : seconds
  if (typeof text === "string" && /^\d{1,4}(?:\.\d{1,3})?$/.test(text)) return Number(text)
  throw invalid("seconds", "invalid_value", "seconds is a number, as 8.")
}

function toVideoParameters(
  info: ModelInfo,
  message: Message,
  seconds: number | undefined,
): PlacedOptions {
  return placeOptions(info, message, {
    own: ["model"],
    special: {
      seconds: (draft) => placeDuration(draft, "seconds", seconds),
      size: placeVideoSize,
      input_reference: (draft, value) =>
        placeFirstFrame(draft, "input_reference", toMediaUrl("input_reference", value)),
    },
  })
}
