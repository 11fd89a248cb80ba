/**
 * POST /v1/tasks/{task_id}/hold?until: keeps the artifacts of a finished task longer, up to what the account
 * may. The moment stands in the query, since bodies exist only for creation (specification §4). Twice is the
 * same as once, and nothing is ever kept for less time than before.
 */
import { toUnixSeconds, type HoldRefusal } from "@safelight/core"
import { artifactList } from "../bodies/artifact.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { refuseParameters, type Refusal, type Refuse } from "../errors/refusal.ts"
import { noBody } from "../request/body-kinds.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { requiredMoment } from "../request/query-parameters.ts"
import { findTask, POLL_HEADERS } from "./find-task.ts"
import { toArtifactsBody } from "./list-artifacts.ts"

const REFUSALS = [
  "task_not_finished",
  "task_failed",
  "artifact_expired",
  "hold_not_allowed",
  "integer_above_max_value",
] as const

export const holdArtifacts = defineEndpoint({
  method: "POST",
  path: "/v1/tasks/:task/hold",
  about: {
    id: "holdArtifacts",
    tag: "Artifacts",
    summary: "Keep the artifacts of a task longer",
    description:
      "Artifacts that would expire sooner are kept until `until`; others, and those that have expired, " +
      "stay as they are. A hold adds at least an hour, and at least a hundredth of the time that the account " +
      "may hold artifacts; a shorter one is rounded up to it. How long an account may hold artifacts is its operator's to set, and by " +
      "default it may not. Private links keep their own end. The parameter stands in the query; a " +
      "body is refused as `unknown_parameter`.",
  },
  key: { scopes: ["tasks:write", "artifacts:read"], rate: "read" },
  inPath: { task: TASK_ID },
  query: { until: requiredMoment("Unix seconds: the artifacts expire then, or later.") },
  body: noBody("The body is not read: put until into the query."),
  answers: {
    200: { description: "The artifacts, as they are kept now.", json: artifactList },
  },
  refusals: ["task_not_found", ...REFUSALS],
}).handle((services) => async (call) => {
  const [account, until] = [call.caller.id, call.query.until]
  const hold = (id: string) => services.service.holdArtifacts({ account, id, until })
  const result = await findTask(call, hold)
  if (result.kind === "refused") throw toHoldRefusal(call.refuse, result.refusal)
  return call.reply(200, await toArtifactsBody(services, call, result))
})

function toHoldRefusal(refuse: Refuse<(typeof REFUSALS)[number]>, refusal: HoldRefusal): Refusal {
  switch (refusal.code) {
    case "not-finished":
      return refuse("task_not_finished", { headers: POLL_HEADERS })
    case "failed":
      return refuse("task_failed")
    case "expired":
      return refuse("artifact_expired")
    case "not-allowed":
      return refuse("hold_not_allowed")
    case "too-long": {
      const message = `until must be at most ${toUnixSeconds(refusal.latestAt)} for this task.`
      const issue = { param: "until", code: "integer_above_max_value", message } as const
      return refuseParameters(refuse, [issue])
    }
  }
}
