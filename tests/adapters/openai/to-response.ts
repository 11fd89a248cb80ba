/** An answer of the door as its server sends it. */
import type { OpenAiAnswer } from "@safelight/openai"

export function toResponse({ body, headers, status }: OpenAiAnswer): Response {
  return new Response(body, { status, headers })
}
