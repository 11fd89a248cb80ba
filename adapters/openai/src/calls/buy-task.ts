/** A purchase: a task like any other, or the task of an earlier request that this one repeats. */
import { isApiError, type ApiError, type ModelInfo, type Task } from "@safelight/client"
import { invalid, Refusal, toRefusal } from "../answers/refusal.ts"
import type { PlacedOptions } from "../options/place-options.ts"
import type { Call } from "./call.ts"
import { findEarlier, isRepeat, REQUEST_LABEL } from "./find-earlier.ts"
import { post } from "./post.ts"
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
    const task = await findOrBuy(call, order)
    call.told.task = task.task_id
    return task
  } finally {
    for (const name of Object.keys(members)) delete members[name]
    call.onTaken()
  }
}

/** Of the member `model`. Throws a `Refusal`. */
function readModelId({ members: { model } }: Message): string {
  if (typeof model === "string" && model !== "") return model
  throw invalid("model", "missing_required_parameter", "model must be the id of a model.")
}

/** The caller's own. Throws a `Refusal`. */
function readKey({ headers }: Request): string | undefined {
  const key = headers.get("idempotency-key")
  if (key === null) return undefined
  if (/^[ -~]{1,255}$/.test(key)) return key
  throw new Refusal({
    status: 400,
    code: "invalid_idempotency_key",
    type: "idempotency_error",
    message: "Idempotency-Key must be 1 to 255 printable ASCII characters.",
  })
}

async function findOrBuy(call: Call, order: Order): Promise<Task> {
  const { models, purchases, request } = call
  const { makes, message } = order
  const key = readKey(request)
  const model = readModelId(message)
  const info = await models.read(call, model)
  if (info.outputs.type !== makes) {
    throw invalid("model", "invalid_value", `${model} makes ${info.outputs.type}, and no ${makes}.`)
  }
  const placed = order.toParameters(info)
  const { digest } = message
  const buyOne = (): Promise<Task> => buy(call, order, { ...placed, key, model })
  // A key of the caller's own finds its task by itself.
  if (key !== undefined || !isRepeat(request)) return purchases.begin(digest, buyOne)
  return purchases.queue(digest, async () => (await findEarlier(call, digest)) ?? buyOne())
}

interface Terms extends PlacedOptions {
  /** Without one of the caller's own there is none: nobody would send it again. */
  readonly key: string | undefined
  readonly model: string
}

/** The signal does not reach the submission: what was bought is cancelled afterwards. */
async function buy(call: Call, order: Order, terms: Terms): Promise<Task> {
  const { maxCostMicros, purchases } = call
  const { digest } = order.message
  const { key, model, names, parameters } = terms
  const headers = {
    "content-type": "application/json",
    "safelight-label": toLabelHeader({ [REQUEST_LABEL]: digest, ...order.labels }),
    ...(key !== undefined && { "idempotency-key": key }),
    ...(maxCostMicros !== undefined && { "safelight-max-cost-micros": String(maxCostMicros) }),
  }
  try {
    return await post<Task>(call, "/v1/tasks", {
      headers,
      body: JSON.stringify({ model, parameters }),
    })
  } catch (error) {
    if (!isApiError(error) || mayHaveBought(error)) throw error
    purchases.refuse(digest)
    throw toOwnWords(error, names)
  }
}

/** Each value is quoted, whatever it is: a comma would end it. */
function toLabelHeader(labels: Order["labels"]): string {
  const members = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  )
  return members.join(", ")
}

/** Every other 503 says that nothing was bought. */
function mayHaveBought({ code, status = 0 }: ApiError): boolean {
  return code === "outcome_unknown" || (status >= 500 && status !== 503)
}

/** Says the caller's option where the service names a parameter of the model. Of several faults it tells the first. */
function toOwnWords(error: ApiError, names: PlacedOptions["names"]): Refusal {
  const refusal = toRefusal(error).options
  const path = error.details[0]?.param ?? error.param
  if (path === undefined) return new Refusal(refusal)
  const own = path.replace(/^parameters\./, "")
  const [parameter = ""] = own.split(/[.[]/, 1)
  const option = names.get(parameter) ?? parameter
  const param = option === parameter ? own : option
  return new Refusal({ ...refusal, param, message: refusal.message.replaceAll(path, param) })
}
