/** A purchase: a task like any other, or the task of an earlier request that this one repeats. */
import { randomUUID } from "node:crypto"
import { isApiError, jsonText, type ModelInfo, type Task } from "@safelight/client"
import { invalid, Refusal, toRefusal } from "../answers/refusal.ts"
import type { PlacedOptions } from "../options/place-options.ts"
import type { Call } from "./call.ts"
import { findEarlier, REQUEST_LABEL } from "./find-earlier.ts"
import type { Message } from "./read-message.ts"

export interface Order {
  readonly message: Message
  /** What the model has to make. */
  readonly makes: "image" | "video"
  /** Besides that of the request. */
  readonly labels: Readonly<Record<string, string>>
  /** Throws a `Refusal`. */
  readonly toParameters: (info: ModelInfo) => PlacedOptions
}

/** Nothing of the message is left afterwards: a body may have megabytes. Rejects with a `Refusal` or an `ApiError`. */
export async function findOrBuyTask(call: Call, order: Order): Promise<Task> {
  const { members } = order.message
  try {
    return await findOrBuy(call, order)
  } finally {
    for (const name of Object.keys(members)) delete members[name]
    call.onTaken()
  }
}

/** Of the member `model`. Throws a `Refusal`. */
export function readModelId({ members: { model } }: Message): string {
  if (typeof model === "string" && model !== "") return model
  throw invalid("model", "missing_required_parameter", "model must be the id of a model.")
}

async function findOrBuy(call: Call, order: Order): Promise<Task> {
  const { client, models, request, signal } = call
  const { makes, message } = order
  const model = readModelId(message)
  const info = await models.read(client, model, signal)
  if (info.outputs.type !== makes) {
    throw invalid("model", "invalid_value", `${model} makes ${info.outputs.type}, and no ${makes}.`)
  }
  const placed = order.toParameters(info)
  const given = request.headers.get("idempotency-key")
  // A key of the caller's own finds its task by itself.
  const earlier = given === null ? await findEarlier(call, message.digest) : undefined
  if (earlier !== undefined) return earlier
  const key = given ?? `openai-${randomUUID()}`
  return call.purchases.begin(message.digest, () => buy(call, order, { ...placed, key, model }))
}

interface Terms extends PlacedOptions {
  readonly key: string
  readonly model: string
}

/** The signal does not reach the submission: what was bought is cancelled afterwards. */
async function buy(call: Call, order: Order, terms: Terms): Promise<Task> {
  const { client, maxCostMicros, purchases } = call
  const { digest } = order.message
  const { key: idempotencyKey, model, names, parameters } = terms
  const labels = { [REQUEST_LABEL]: digest, ...order.labels }
  const options = { idempotencyKey, maxCostMicros, labels }
  try {
    return await client.submit(model, jsonText(JSON.stringify(parameters)), options)
  } catch (error) {
    if (!isApiError(error) || error.code === "outcome_unknown") throw error
    purchases.refuse(digest)
    const [own = ""] = error.param?.replace(/^parameters\./, "").split(/[.[]/, 1) ?? []
    const refusal = toRefusal(error).options
    throw new Refusal({ ...refusal, param: names.get(own) ?? refusal.param })
  }
}
