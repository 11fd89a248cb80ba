/**
 * POST /v1/tasks: 202 once the task is durable. A client that leaves before the answer cancels nothing.
 */
import {
  isSafelightError,
  type Account,
  type Labels,
  type QuoteTerms,
  type SubmitRequest,
  type SubmitResult,
  type TaskService,
} from "@safelight/core"
import { toTaskPath } from "../pipeline/addresses.ts"
import type { Creation } from "../body/creation.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import type { Refuse } from "../errors/refusal.ts"
import { creationBody } from "../request/body-kinds.ts"
import { maxCost, quote } from "../request/cost-limit.ts"
import { hops } from "../request/hops.ts"
import { idempotencyKey } from "../request/idempotency-key.ts"
import { preferWait } from "../request/prefer-wait.ts"
import { labelHeader } from "../request/labels.ts"
import {
  SUBMISSION_REFUSALS,
  toSubmissionRefusal,
  type SubmissionCode,
} from "./submission-refusal.ts"
import { task, toTaskText } from "../bodies/task.ts"

const SCOPES = ["tasks:write"] as const

export const createTask = defineEndpoint({
  method: "POST",
  path: "/v1/tasks",
  about: {
    id: "createTask",
    tag: "Tasks",
    summary: "Create a task",
    description:
      "The task is durable once it is answered, and may be finished already. Without an " +
      "`Idempotency-Key` two identical requests are two tasks, each of them billed: do not repeat " +
      "one that timed out. With one, repeat it as it was. " +
      "A colour may also stand once more under its parameter's own name, as that object's only " +
      'member: `{"colors":[{"colors":[{"r":255}]}]}`.',
  },
  key: { scopes: SCOPES, rate: "create" },
  headers: {
    "Idempotency-Key": idempotencyKey,
    "Safelight-Label": labelHeader,
    "Safelight-Hops": hops,
    "Safelight-Max-Cost-Micros": maxCost,
    "Safelight-Quote": quote,
    Prefer: preferWait,
  },
  body: creationBody,
  answers: {
    202: {
      description: "The task.",
      json: task,
      always: ["Location"],
      sometimes: ["Idempotent-Replayed", "Preference-Applied"],
    },
  },
  refusals: [...SUBMISSION_REFUSALS, "outcome_unknown"],
}).handle(({ service, prefix, models, waits }) => {
  const ids = models.map(({ id }) => id)
  return async (call) => {
    const { task: made, isReplayed } = await submit(call, service, ids)
    call.report.task = made.id
    const location = `${prefix()}${toTaskPath(made.id)}`
    const headers = isReplayed ? { location, "idempotent-replayed": "true" } : { location }
    const seconds = call.sent.Prefer
    if (seconds === undefined) return call.reply(202, toTaskText(made, prefix()), headers)
    const waited = await waits.wait(call, made, { seconds, scopes: SCOPES })
    return call.reply(202, toTaskText(waited.task, prefix()), { ...headers, ...waited.headers })
  }
})

interface Submission {
  readonly caller: Account
  readonly sent: Sent
  readonly body: () => Promise<Creation>
  readonly refuse: Refuse<SubmissionCode | "outcome_unknown">
}

/** Nothing else holds the body, so that it is gone once this has settled, however long the caller waits then. */
async function submit(
  { body, caller, refuse, sent }: Submission,
  service: Pick<TaskService, "submit">,
  models: readonly string[],
): Promise<Exclude<SubmitResult, { readonly kind: "rejected" }>> {
  try {
    const result = await service.submit(toSubmitRequest(caller.id, await body(), sent))
    if (result.kind === "rejected") throw toSubmissionRefusal(refuse, result.rejection, models)
    return result
  } catch (error) {
    throw sent["Idempotency-Key"] === undefined ? error : toRetryable(refuse, error)
  }
}

interface Sent {
  readonly "Idempotency-Key": string | undefined
  readonly "Safelight-Hops": number
  readonly "Safelight-Max-Cost-Micros": number | undefined
  readonly "Safelight-Quote": QuoteTerms | undefined
  readonly "Safelight-Label": Labels | undefined
}

function toSubmitRequest(
  account: string,
  { fingerprint, ...creation }: Creation,
  sent: Sent,
): SubmitRequest {
  const { "Idempotency-Key": key, "Safelight-Hops": hopCount, "Safelight-Label": labels } = sent
  const { "Safelight-Max-Cost-Micros": maxCostMicros, "Safelight-Quote": named } = sent
  const request = {
    account,
    ...creation,
    ...(hopCount > 0 && { hops: hopCount }),
    ...(labels && { labels }),
    ...(maxCostMicros !== undefined && { maxCostMicros }),
    ...(named !== undefined && { quote: named }),
  }
  if (key === undefined || fingerprint === undefined) return request
  return { ...request, idempotency: { key, fingerprint } }
}

/** With an idempotency key a repeated POST is no second purchase, so the answer does not warn of it. */
function toRetryable(refuse: Refuse<"outcome_unknown">, error: unknown): unknown {
  if (!isSafelightError(error) || error.code !== "outcome-unknown") return error
  return refuse("outcome_unknown", { headers: { "retry-after": "5" }, cause: error })
}
