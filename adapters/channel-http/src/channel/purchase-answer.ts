/**
 * What the answer to a purchase proves: what its declaration reads in it, and for every provider alike what only
 * the channel's operator can repair. The provider then refuses every request, and its words say why.
 */
import type { Json } from "@safelight/core"
import type { CreateOutcome, Provider } from "../declaration/provider.ts"
import type { Reply } from "../declaration/provider-request.ts"
import { isTurnedAway, readTurnedAway, textAt, type Path } from "../declaration/read-reply.ts"

export function readPurchaseAnswer(
  provider: Pick<Provider, "outOfMoney" | "readCreate">,
  reply: Reply,
): CreateOutcome | undefined {
  const words = readWords(reply.json)
  const kept = words === undefined ? {} : { providerWords: words }
  if (isOutOfMoney(provider, reply)) {
    return { kind: "not-created", reason: "provider_out_of_money", needsOperator: true, ...kept }
  }
  const outcome = provider.readCreate(reply)
  if (outcome?.kind !== "not-created") return outcome
  return { ...kept, ...(isTurnedAway(reply) && { needsOperator: true }), ...outcome }
}

/** The same for the upload of an input. Undefined unless the provider turned it away: then nothing was bought. */
export function readUploadAnswer(
  { outOfMoney }: Pick<Provider, "outOfMoney">,
  reply: Reply,
): CreateOutcome | undefined {
  if (!isTurnedAway(reply)) return undefined
  return readPurchaseAnswer(
    { readCreate: readTurnedAway, ...(outOfMoney && { outOfMoney }) },
    reply,
  )
}

/** By its code. Its words may repeat the request, unless every request is turned away. */
function isOutOfMoney({ outOfMoney }: Pick<Provider, "outOfMoney">, reply: Reply): boolean {
  const { json, status } = reply
  if (status === 402) return true
  if (outOfMoney === undefined || status < 400 || status >= 500 || status === 408) return false
  if (outOfMoney.test(find(json, CODES) ?? "")) return true
  return (isTurnedAway(reply) || status === 429) && outOfMoney.test(find(json, WORDS) ?? "")
}

/** The paths of a fault's words and of its code. */
const WORDS: readonly Path[] = [
  ["error", "message"],
  ["errors", 0, "message"],
  ["errors", 0],
  ["detail", 0, "msg"],
  ["detail"],
  ["error"],
  ["message"],
  ["title"],
]
const CODES: readonly Path[] = [["error", "code"], ["errors", 0, "code"], ["code"], ["error_type"]]

/** What a provider says of a fault, with its code before it; undefined if it says nothing. */
export function readWords(json: Json | undefined): string | undefined {
  const [code, words] = [find(json, CODES), find(json, WORDS)]
  return code === undefined || words === undefined ? (words ?? code) : `${code}: ${words}`
}

function find(json: Json | undefined, paths: readonly Path[]): string | undefined {
  return paths
    .map((path) => textAt(json, ...path))
    .find((text) => text !== undefined && text !== "")
}
