/** GET /models and /models/{model}: all that the service serves, of any kind. */
import type { ModelInfo } from "@safelight/client"
import type { Call } from "../calls/call.ts"
import { readModel } from "./read-model.ts"

export async function listModels({ client, signal }: Call): Promise<Response> {
  const models = await client.models({ signal })
  return Response.json({ object: "list", data: models.map(toModel) })
}

export async function showModel({ client, signal }: Call, id: string): Promise<Response> {
  return Response.json(toModel(await readModel(client, id, signal)))
}

/** The service does not tell since when it has a model. */
function toModel({ model }: ModelInfo): object {
  const [owner = model] = model.split("/")
  return { id: model, object: "model", created: 0, owned_by: owner }
}
