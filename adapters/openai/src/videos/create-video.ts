/** POST /videos: a task that makes a video. It is answered as soon as it is accepted. */
import type { ModelInfo } from "@safelight/client"
import { placeDuration, placeFirstFrame } from "@safelight/client/parameters"
import { invalid } from "../answers/refusal.ts"
import { findOrBuyTask } from "../calls/buy-task.ts"
import type { Call } from "../calls/call.ts"
import { readMessage, toMediaUrl, type Message } from "../calls/read-message.ts"
import { placeOptions, type PlacedOptions } from "../options/place-options.ts"
import { placeVideoSize } from "../options/place-size.ts"
import { answerVideo, VIDEO_LABEL } from "./video.ts"

/** Rejects with a `Refusal` or an `ApiError`. */
export async function createVideo(call: Call): Promise<Response> {
  const message = await readMessage(call)
  const seconds = readSeconds(message)
  const { size } = message.members
  const labels = {
    [VIDEO_LABEL.kind]: "video",
    ...(seconds !== undefined && { [VIDEO_LABEL.seconds]: String(seconds) }),
    ...(typeof size === "string" && size.length <= MOST_SIZE && { [VIDEO_LABEL.size]: size }),
  }
  const task = await findOrBuyTask(call, {
    message,
    makes: "video",
    labels,
    toParameters: (info) => toVideoParameters(info, message, seconds),
  })
  return answerVideo(call, task)
}

/** Of a size that is one; any other is refused before a task has labels. */
const MOST_SIZE = 11

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
