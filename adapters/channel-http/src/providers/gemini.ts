/**
 * The Gemini API: pictures in the answer to the purchase, with no handle, and films of Veo, which are
 * polled. A wrong key, a region that is not served and a body that it can't read are all a 400.
 */
import { referenceToVideo, textToImage } from "@safelight/core"
import { defineProvider, type CreateOutcome, type Reply } from "../provider.ts"
import { at, listAt, readTurnedAway, textAt, toRefused, toToldCost } from "../read-reply.ts"
import { geminiPicture, readPictures } from "./gemini-pictures.ts"
import { readOperation, veoFilm } from "./veo.ts"

/** A fault of the key or the account says nothing about the request. */
function readInvalid({ json }: Reply): CreateOutcome | undefined {
  const words = textAt(json, "error", "message")
  const reasons = listAt(json, "error", "details").map((each) => textAt(each, "reason"))
  const isOurs = reasons.includes("API_KEY_INVALID")
  const state = textAt(json, "error", "status")
  if (isOurs || state === "FAILED_PRECONDITION") {
    return { kind: "not-created", reason: "provider_answered_400", needsOperator: true }
  }
  if (state !== "INVALID_ARGUMENT" || words === undefined) return undefined
  return toRefused("provider_rejected", words)
}

/** A 429 without the header has the pause in its body, as `17s`. */
function toWaitMs({ json, retryAfterMs }: Reply): number | undefined {
  const delays = listAt(json, "error", "details").map((each) => textAt(each, "retryDelay") ?? "")
  const told = delays.find((delay) => /^\d+(\.\d+)?s$/.test(delay))
  return retryAfterMs ?? (told === undefined ? undefined : Number.parseFloat(told) * 1_000)
}

export const gemini = defineProvider({
  name: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  keyVariable: "GEMINI_API_KEY",
  authorize: (key) => ({ "x-goog-api-key": key }),
  outputHosts: ["*.googleapis.com"],
  outputsNeedKey: true,
  answersHoldMedia: true,
  submission: { kind: "unkeyed" },
  concurrency: 4,
  // Pictures are made while the call lasts.
  submitTimeoutMs: 300_000,
  models: {
    [textToImage.id]: geminiPicture,
    [referenceToVideo.id]: veoFilm,
  },
  readCreate(reply) {
    const { json, status } = reply
    const name = textAt(json, "name")
    if (status === 200 && name !== undefined) return { kind: "accepted", operation: { name } }
    if (status === 200) return readPictures(json)
    if (status === 400) return readInvalid(reply)
    return readTurnedAway({ ...reply, retryAfterMs: toWaitMs(reply) })
  },
  outOfMoney: /credits are depleted/i,
  readCost: (reply) => toToldCost(at(reply?.json, "usageMetadata", "totalTokenCount"), "tokens"),
  async poll(operation, send) {
    const path = `/v1beta/${textAt(operation, "name") ?? ""}`
    return readOperation(await send({ method: "GET", path }))
  },
})
