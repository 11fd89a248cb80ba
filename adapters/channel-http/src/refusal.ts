/** A refusal with the provider's own words, which are kept apart from ours and can be erased. */
import type { FailureCode, Refused } from "@safelight/core"

export function toRefused(code: FailureCode, words: string | undefined): Refused {
  return { kind: "refused", code, ...(words !== undefined && { providerWords: words }) }
}
