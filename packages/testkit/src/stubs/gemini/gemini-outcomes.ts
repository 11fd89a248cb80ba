/**
 * How Gemini refuses: with a 200. A blocked prompt is in `promptFeedback`, a blocked output in `finishReason`, with
 * candidates or without. Text in place of the picture is a refusal as well.
 */
import type { StubReply } from "../frame/stub-route.ts"

type Fields = Readonly<Record<string, unknown>>

/** By the name of the fault that causes it. */
export const IMAGE_OUTCOMES: Readonly<Record<string, Fields>> = {
  "prompt-blocked": { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } },
  "image-safety": {
    candidates: [{ index: 0, finishReason: "IMAGE_SAFETY", finishMessage: "Unsafe image." }],
  },
  "no-image": { candidates: [{ index: 0, finishReason: "NO_IMAGE" }] },
  "text-instead": {
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: { role: "model", parts: [{ text: "I can't draw that, sorry." }] },
      },
    ],
  },
}

/** The result of an operation of Veo, by the name of the fault. */
export const VIDEO_OUTCOMES: Readonly<Record<string, Fields>> = {
  "video-filtered": {
    response: {
      generateVideoResponse: {
        raiMediaFilteredCount: 1,
        raiMediaFilteredReasons: [
          "The video was filtered because of its audio. You were not charged.",
        ],
      },
    },
  },
  "video-refused": {
    error: { code: 3, message: "The prompt could not be submitted: it violates our policies." },
  },
  "video-failed": { error: { code: 13, message: "Internal error." } },
}

export function toGoogleError(
  code: number,
  status: string,
  message: string,
  details: readonly Fields[] = [],
): StubReply {
  return { status: code, json: { error: { code, message, status, details } } }
}
