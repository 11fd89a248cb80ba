/**
 * Pictures of the Gemini API, which come with the answer to the purchase. It makes one picture for each
 * call, and refuses with a 200: a blocked prompt, a candidate that ended for another reason, or text in
 * place of a picture.
 */
import type { Json } from "@safelight/core"
import { acceptsUnless, findSquareObstacles } from "../eligibility.ts"
import { toInlineOutput } from "../inline-output.ts"
import type { CreateOutcome, ProviderModel, ProviderRequest } from "../provider.ts"
import { at, listAt, textAt, toRefused } from "../read-reply.ts"

/** Reasons for which a picture was withheld because of its content; after any other there is none. */
const WITHHELD =
  /^(SAFETY|RECITATION|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION)$/

function toRequest(parts: readonly Json[], imageConfig: Json): ProviderRequest {
  const generationConfig = { responseModalities: ["IMAGE"], imageConfig }
  const json = { contents: [{ role: "user", parts }], generationConfig }
  return { method: "POST", path: "/v1beta/models/gemini-3-pro-image:generateContent", json }
}

export const geminiPicture: ProviderModel = {
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
  toRequest({ prompt }) {
    return toRequest([{ text: prompt as string }], { aspectRatio: "1:1", imageSize: "1K" })
  },
}

export function readPictures(json: Json | undefined): CreateOutcome | undefined {
  const candidates = listAt(json, "candidates")
  const parts = candidates.flatMap((each) => listAt(each, "content", "parts"))
  // A picture from its thinking is no result.
  const results = parts.filter((part) => at(part, "thought") !== true)
  const outputs = results.flatMap((part) => toInlineOutput(at(part, "inlineData", "data")) ?? [])
  if (outputs.length > 0) return { kind: "completed", outputs }
  const blocked = textAt(json, "promptFeedback", "blockReason")
  const withheld = candidates
    .map((each) => textAt(each, "finishReason") ?? "")
    .find((reason) => WITHHELD.test(reason))
  const words = blocked ?? withheld
  // Tokens were read and generated; the documentation does not say which of them are billed.
  if (words !== undefined) {
    return { ...toRefused("content_policy_violation", words), billed: "maybe" }
  }
  return candidates.length > 0 ? { kind: "completed", outputs } : undefined
}
