/**
 * What a caller does about one request: it submits until a 202 comes, watches the task and cancels it.
 * What a service may never answer is noted as a broken promise, whichever fault is under way.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Activity } from "./activity.ts"
import type { Sent } from "./http-calls.ts"
import type { Ledger } from "./ledger.ts"
import type { PlannedRequest } from "./requests.ts"
import { isOfAccount, type Called, type ServiceCalls } from "./service-calls.ts"
import type { Telling } from "./told.ts"

export interface Caller extends Pick<ServiceCalls, "call"> {
  readonly ledger: Ledger
  readonly activity: Activity
  readonly telling: Telling
  /** What was answered and must never be. */
  readonly broken: string[]
  /** Tasks that had their 202 and were not found afterwards. */
  readonly missing: Set<string>
  readonly signal: AbortSignal
}

/** How often a caller looks at its task before it leaves it to its fate, and how long between. */
export const LOOKS = 8
const LOOK_MS = 40

/** So many refusals that may pass, and a caller gives its request up. */
const PATIENCE = 6

/** Not now: unavailable, or the same key is being accepted by an earlier call. */
const IS_PASSING: ReadonlySet<number> = new Set([409, 503])

/** The task; undefined where the request was given up. */
export async function submit(caller: Caller, planned: PlannedRequest): Promise<string | undefined> {
  const { account, request } = planned
  await caller.ledger.asked(request)
  let patience = PATIENCE
  while (!caller.signal.aborted && patience > 0) {
    const answer = await caller.call(account, "/v1/tasks", toSubmission(planned))
    if (answer?.status === 202) return await accept(caller, planned, answer)
    if (answer !== null && isOfAccount(answer)) {
      patience = answer.status === 402 ? 0 : patience - 1
    } else if (answer !== null && !IS_PASSING.has(answer.status)) {
      const { body, status } = answer
      caller.broken.push(`request ${request} was answered ${status} ${body.error?.code}`)
      return undefined
    }
    await pause(LOOK_MS)
  }
  return undefined
}

async function accept(
  { activity, ledger, telling }: Caller,
  { account, request }: PlannedRequest,
  { body, key, sentAt }: Called,
): Promise<string> {
  const task = body.task_id ?? ""
  await ledger.accepted(request, task)
  telling.acceptances.push({ request, task, account, key, sentAt, at: Date.now() })
  activity.note()
  return task
}

/** Looks at the task for a while, and cancels it at its look number `cancelledAt`. */
export async function watch(
  caller: Caller,
  { account }: PlannedRequest,
  task: string,
  cancelledAt: number,
): Promise<void> {
  for (let look = 0; look < LOOKS && !caller.signal.aborted; look += 1) {
    if (look === cancelledAt) await cancel(caller, account, task)
    if (await hasEnded(caller, account, task)) return
    await pause(LOOK_MS)
  }
}

/** Some tasks are cancelled at once, some while they run, and some once they have ended. */
async function cancel(
  { broken, call, telling }: Caller,
  account: string,
  task: string,
): Promise<void> {
  const answer = await call(account, `/v1/tasks/${task}/cancel`, {})
  const { outcome, task: shown } = answer?.body ?? {}
  if (answer === null || isOfAccount(answer)) return
  if (answer.status === 200 && outcome !== undefined && shown !== undefined) {
    telling.cancellations.push({ task, outcome, status: shown.status ?? "", at: Date.now() })
  } else if (![404, 503].includes(answer.status)) {
    broken.push(`the cancellation of ${task} was answered ${answer.status}`)
  }
}

/** From the 202 on every node knows the task. */
async function hasEnded(
  { broken, call, missing }: Caller,
  account: string,
  task: string,
): Promise<boolean> {
  const answer = await call(account, `/v1/tasks/${task}`)
  if (answer === null || isOfAccount(answer) || answer.status === 503) return false
  const { body, status } = answer
  if (status === 404) missing.add(task)
  else if (status !== 200) broken.push(`task ${task} was answered ${status}`)
  return status === 404 || body.status === "succeeded" || body.status === "failed"
}

function toSubmission({ labels, model, parameters, request }: PlannedRequest): Sent {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  return {
    headers: {
      "content-type": "application/json",
      "idempotency-key": `request-${request}`,
      "safelight-label": label.join(", "),
    },
    body: JSON.stringify({ model, parameters }),
  }
}
