/**
 * Whether another Safelight lets the key do all that a channel needs, and has its models. A key that may
 * buy and not fetch would be found out when the first result is paid for.
 */
import type { ChannelCheck } from "@safelight/core"
import type { ProviderRequest, Send } from "../provider.ts"
import { textAt } from "../read-reply.ts"

/** A task that does not exist. */
const NO_TASK = "/v1/tasks/00000000-0000-4000-8000-000000000000"

/** By scope: a request that it is needed for, which does nothing, and what answers it once that is passed. */
const NEEDED: Readonly<Record<string, readonly [ProviderRequest, status: number, code?: string]>> =
  {
    // Without a body nothing is created, and the scope is judged before the body.
    "tasks:write": [{ method: "POST", path: "/v1/tasks" }, 415, "unsupported_media_type"],
    "tasks:read": [{ method: "GET", path: NO_TASK }, 404, "task_not_found"],
    "artifacts:read": [{ method: "GET", path: `${NO_TASK}/artifacts` }, 404, "task_not_found"],
  }

export async function checkSafelight(send: Send, models: readonly string[]): Promise<ChannelCheck> {
  for (const [scope, [request, passed, code]] of Object.entries(NEEDED)) {
    // oxlint-disable-next-line no-await-in-loop -- the first that fails says enough
    const { json, status } = await send(request)
    if (status === 401) return { kind: "refused", reason: "it refuses the key (401)" }
    if (status === 403) {
      return { kind: "refused", reason: `it does not let the key do ${scope} (403)` }
    }
    if (status !== passed || textAt(json, "error", "code") !== code) {
      return { kind: "unavailable", reason: `it answers ${status}, as no Safelight does` }
    }
  }
  const lacking = await findLacking(send, models)
  if (lacking.length === 0) return { kind: "ready", key: "taken" }
  return { kind: "unavailable", reason: `it has no model ${lacking.join(", ")}` }
}

/** Of `models` those that it doesn't know. They are asked for one by one: its document has no bound. */
async function findLacking(send: Send, models: readonly string[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    models.map(async (id) => {
      const path = `/v1/models/${id.split("/").map(encodeURIComponent).join("/")}`
      const { json, status } = await send({ method: "GET", path })
      return { id, isLacking: status === 404 && textAt(json, "error", "code") === "not_found" }
    }),
  )
  return answers.filter(({ isLacking }) => isLacking).map(({ id }) => id)
}
