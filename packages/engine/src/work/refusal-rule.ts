/**
 * Whether another channel is asked after one has refused. A refusal for content is final unless the
 * configuration says otherwise, whatever the channel says: another may make what the first would not,
 * and that is the operator's to answer for. A refusal is always final where nobody is left to ask.
 */
import { toTaskFailure, type Refused, type Task } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { findParameters } from "../record/request-input.ts"
import type { Work } from "./work.ts"

/** What becomes of a task that one channel refused for its content. */
export type ContentRefusals = "final" | "ask-others"

/** Rejects where the storage does. */
export async function asksOthers(context: Context, work: Work, refused: Refused): Promise<boolean> {
  const { task } = work.head
  const now = context.clock.judgedNow()
  if (task.dispatch === null || isFinal(context, refused) || !hasAttempts(task, now)) return false
  const parameters = await findParameters(context, work)
  const refusedBy = [...(task.refusedBy ?? []), task.dispatch.channel]
  return context.routing.hasTaker(task.model, parameters, refusedBy)
}

function isFinal({ contentRefusals }: Pick<Context, "contentRefusals">, refused: Refused): boolean {
  const isContent = toTaskFailure(refused.code).type === "content_policy_error"
  return isContent ? contentRefusals === "final" : refused.isFinal !== false
}

/** Else its end would hide why it was refused. */
function hasAttempts({ endBy, maxAttempts, operation, spentAttempts }: Task, now: number): boolean {
  const spent = spentAttempts + (operation === null ? 0 : 1)
  return now < endBy && spent < maxAttempts
}
