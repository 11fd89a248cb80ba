/** The addresses of the task API, from `/v1` on. */

export const TASKS_PATH = "/v1/tasks"
export const QUOTES_PATH = "/v1/quotes"
export const MODELS_PATH = "/v1/models"

/** Throws a `TypeError` if the id is empty or consists of dots. */
export function toTaskPath(id: string): string {
  return `${TASKS_PATH}/${toSegment(id, "the task's id")}`
}

/** Throws a `TypeError` if the id or the key is empty or consists of dots. */
export function toArtifactPath(task: string, key: string): string {
  return `${toTaskPath(task)}/artifacts/${toSegment(key, "the artifact's key")}`
}

/** The slashes of an id stay: some proxies refuse encoded ones. Throws a `TypeError` as above. */
export function toModelPath(id: string): string {
  const segments = id.split("/").map((each) => toSegment(each, "the model's id"))
  return `${MODELS_PATH}/${segments.join("/")}`
}

export const WEBHOOKS_PATH = "/v1/webhooks"

/** Throws a `TypeError` if the id is empty or consists of dots. */
export function toWebhookPath(id: string): string {
  return `${WEBHOOKS_PATH}/${toSegment(id, "the webhook's id")}`
}

/** Throws a `TypeError` if an id is empty or consists of dots. */
export function toDeliveryPath(webhook: string, id: string): string {
  return `${toWebhookPath(webhook)}/deliveries/${toSegment(id, "the delivery's id")}`
}

/** Undefined values are left out; one that is a list stands once for each of its members. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value = []]) =>
    [value].flat().map((each) => [name, String(each)]),
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

/** `.` and `..` would change the path, even if they are encoded. */
function toSegment(text: string, what: string): string {
  if (typeof text !== "string" || /^\.{0,2}$/.test(text)) {
    throw new TypeError(`${what} is not one`)
  }
  return encodeURIComponent(text)
}
