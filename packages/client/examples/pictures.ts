/**
 * What each example serves, whatever its framework: a route that orders a picture and answers at once, a receiver of
 * webhooks that learns when the picture is there, and a route that shows where it is. The API key stays here: a
 * browser gets a private link.
 */
import { createClient, isApiError, verifyWebhook } from "@safelight/client"

const MODEL = "vendor-a/v4.1/flash/text-to-image"

const safelight = createClient({
  url: process.env["SAFELIGHT_URL"] ?? "http://127.0.0.1:8080",
  key: process.env["SAFELIGHT_API_KEY"] ?? "",
})

/** Links by task. In an application of yours this is a table: the process may end between order and webhook. */
const pictures = new Map<string, string>()

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
}

/** `order` is your own name for it: the same order twice is one picture, however often a browser repeats it. */
export async function orderPicture(input: unknown): Promise<Answer> {
  const { order, prompt } = (input ?? {}) as { readonly order?: unknown; readonly prompt?: unknown }
  if (typeof order !== "string" || typeof prompt !== "string") {
    return { status: 400, body: { error: "expected order and prompt" } }
  }
  try {
    const task = await safelight.submit(MODEL, { prompt }, { idempotencyKey: order })
    return { status: 202, body: { task: task.task_id } }
  } catch (error) {
    if (!isApiError(error)) throw error
    // A parameter is the caller's fault; anything else, such as a key that is refused, is ours.
    const status = error.status === 400 ? 400 : 503
    return { status, body: { error: status === 400 ? error.message : "try again later" } }
  }
}

/** `body` exactly as it came: parsed and written again it has other bytes, and no signature fits. */
export async function receiveWebhook(
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string,
): Promise<Answer> {
  const secret = process.env["SAFELIGHT_WEBHOOK_SECRET"] ?? ""
  try {
    const { payload } = await verifyWebhook({ headers, body, secret })
    const { data, type } = payload as { readonly type: string; readonly data: { task_id: string } }
    if (type === "task.succeeded") {
      const url = await safelight.artifact(data.task_id, "image_1").url()
      pictures.set(data.task_id, url)
    }
    return { status: 200, body: { received: type } }
  } catch (error) {
    if (!isApiError(error)) throw error
    if (error.code === "invalid_webhook") {
      return { status: 401, body: { error: "not signed by the service" } }
    }
    // Any status but 2xx has the webhook delivered again.
    return { status: 503, body: { error: "try again later" } }
  }
}

export function showPicture(task: string): Answer {
  const url = pictures.get(task)
  return url === undefined
    ? { status: 404, body: { error: "not yet" } }
    : { status: 200, body: { url } }
}
