/** GET /models and /models/{model}: all that the service serves, of any kind. */
import type { ModelInfo } from "@safelight/client"
import { answerJson, type Answer } from "../answers/answer.ts"
import type { Call } from "../calls/call.ts"
import { readModel } from "./read-model.ts"

export async function listModels({ client, signal }: Call): Promise<Answer> {
  const models = await client.models({ signal })
  return answerJson({ object: "list", data: models.map(toModel) })
}

export async function showModel(call: Call, id: string): Promise<Answer> {
  return answerJson(toModel(await readModel(call, id)))
}

/** The service does not tell since when it has a model. */
function toModel({ model }: ModelInfo): object {
  const [owner = model] = model.split("/")
  return { id: model, object: "model", created: 0, owned_by: owner }
}
