/** A model by the id that a caller gave, as OpenAI's API refuses what is none. */
import { isApiError, type ModelInfo } from "@safelight/client"
import { Refusal, shorten } from "../answers/refusal.ts"
import type { Call } from "../calls/call.ts"

/** Rejects with a `Refusal` if there is no such model, and with an `ApiError`. */
export async function readModel({ client, signal }: Call, id: string): Promise<ModelInfo> {
  if (!canBeAsked(id)) throw toMissing(`The model ${shorten(id)} does not exist.`)
  try {
    return await client.model(id, { signal })
  } catch (error) {
    if (isApiError(error) && error.code === "not_found") throw toMissing(error.message)
    throw error
  }
}

const MOST_CHARACTERS = 500

/** Some texts have no address: the client throws for them. */
function canBeAsked(id: string): boolean {
  const hasPath = id.split("/").every((segment) => !/^\.{0,2}$/.test(segment))
  return hasPath && id.length <= MOST_CHARACTERS && id.isWellFormed()
}

function toMissing(message: string): Refusal {
  return new Refusal({ status: 404, code: "model_not_found", param: "model", message })
}
