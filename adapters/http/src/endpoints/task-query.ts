/** What the account's list of tasks and the operator's share. */
import type { ListedPage, ListRequest, ListResult } from "@safelight/core"
import { toPageQuery } from "../bodies/page.ts"
import { STATUSES } from "../bodies/task.ts"
import { refuseParameters, type Refuse } from "../errors/refusal.ts"
import { labelFilter } from "../request/labels.ts"
import { anyText, choice, moment, toChoice } from "../request/query-parameters.ts"

export const TASK_QUERY = {
  created_after: moment("Unix seconds: tasks whose `created_at` is that or more."),
  created_before: moment("Unix seconds: tasks whose `created_at` is less."),
  status: choice("Tasks of this status.", STATUSES),
  model: anyText("Tasks of this model; an unknown one is refused."),
  label: labelFilter("Tasks with this label."),
  ...toPageQuery("tasks"),
}

interface TaskQuery extends Pick<ListRequest, "limit"> {
  readonly created_after: ListRequest["createdAfter"] | undefined
  readonly created_before: ListRequest["createdBefore"] | undefined
  readonly status: ListRequest["status"] | undefined
  readonly model: ListRequest["model"] | undefined
  readonly label: ListRequest["labels"] | undefined
  readonly cursor: ListRequest["after"] | undefined
}

export function toListRequest(query: TaskQuery): Omit<ListRequest, "account"> {
  const { created_after, created_before, status, model, label, limit, cursor } = query
  return {
    limit,
    ...(created_after !== undefined && { createdAfter: created_after }),
    ...(created_before !== undefined && { createdBefore: created_before }),
    ...(status !== undefined && { status }),
    ...(model !== undefined && { model }),
    ...(label !== undefined && { labels: label }),
    ...(cursor !== undefined && { after: cursor }),
  }
}

/** Throws a `Refusal` for a model that there is not. */
export function demandPage(refuse: Refuse<"invalid_value">, result: ListResult): ListedPage {
  if (result.kind === "listed") return result
  const message = toChoice("model", result.models)
  throw refuseParameters(refuse, [{ param: "model", code: "invalid_value", message }])
}
