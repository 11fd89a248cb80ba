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

/** So many requests, and the artifacts of one of them are kept longer. */
const HELD_EACH = 4
const HOLD_MS = 18 * 86_400_000

/** So many refusals that may pass, and a caller gives its request up. */
const PATIENCE = 6

/** Not now: unavailable, or the same key is being accepted by an earlier call. */
const IS_PASSING: ReadonlySet<number> = new Set([409, 503])

/** The task; undefined where the request was given up. */
export async function submit(caller: Caller, planned: PlannedRequest): Promise<string | undefined> {
  await caller.ledger.asked(planned.request)
  let patience = PATIENCE
  while (!caller.signal.aborted && patience > 0) {
    const answer = await trySubmission(caller, planned)
    if (answer?.status === 202) return await accept(caller, planned, answer)
    if (answer === null || answer.status === 503) caller.telling.adrift.push(planned.request)
    patience = answer === null ? patience : toPatience(caller, planned, answer, patience)
    await pause(LOOK_MS)
  }
  return undefined
}

/** Null where no answer came, or none with a quote. */
async function trySubmission(caller: Caller, planned: PlannedRequest): Promise<Called | null> {
  const { call } = caller
  if (!planned.isQuoted) return await call(planned.account, "/v1/tasks", toSubmission(planned))
  const quote = await askForQuote(caller, planned)
  if (quote === undefined) return null
  return await call(planned.account, "/v1/tasks", toSubmission(planned, quote))
}

/** What is left of it after an answer that accepts nothing; 0 where the request is given up. */
function toPatience(
  { broken }: Caller,
  { isQuoted, request }: PlannedRequest,
  answer: Called,
  patience: number,
): number {
  const { body, status } = answer
  // Under a new quote it may do.
  if (isOfAccount(answer)) return status === 402 && !isQuoted ? 0 : patience - 1
  if (IS_PASSING.has(status)) return patience
  broken.push(`request ${request} was answered ${status} ${body.error?.code}`)
  return 0
}

/** A quote to be redeemed; undefined where none could be had. */
async function askForQuote(
  { broken, call, telling }: Caller,
  planned: PlannedRequest,
): Promise<string | undefined> {
  const { account, request } = planned
  const answer = await call(account, "/v1/quotes", toSubmission(planned))
  if (answer === null || isOfAccount(answer) || answer.status === 503) return undefined
  const { max_cost_micros: maxCostMicros, price_version: priceVersion, quote } = answer.body
  if (maxCostMicros === undefined || priceVersion === undefined || quote === undefined) {
    broken.push(`request ${request} was quoted ${answer.status} ${answer.body.error?.code}`)
    return undefined
  }
  telling.quotes.push({ request, priceVersion, maxCostMicros })
  return quote
}

export async function accept(
  { activity, ledger, telling }: Pick<Caller, "activity" | "ledger" | "telling">,
  { account, request }: Pick<PlannedRequest, "account" | "request">,
  { body, key, sentAt }: Pick<Called, "body" | "key" | "sentAt">,
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
  { account, request }: PlannedRequest,
  task: string,
  cancelledAt: number,
): Promise<void> {
  const isHeld = request % HELD_EACH === 0
  for (let count = 0; count < LOOKS && !caller.signal.aborted; count += 1) {
    if (count === cancelledAt) await cancel(caller, account, task)
    const status = await look(caller, account, task)
    if (status === "succeeded" && isHeld) await hold(caller, account, task)
    if (status !== undefined) return
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

/** As long as every account may that may hold anything, less what clocks are apart. */
async function hold(
  { broken, call, telling }: Caller,
  account: string,
  task: string,
): Promise<void> {
  const until = Math.floor((Date.now() + HOLD_MS) / 1_000)
  const answer = await call(account, `/v1/tasks/${task}/hold?until=${until}`, {})
  if (answer === null || isOfAccount(answer)) return
  if (answer.status === 200) {
    telling.holds.push({ task, expiresAt: until * 1_000, at: Date.now() })
  } else if (answer.status === 409) {
    telling.refusedHolds.push({ task, code: answer.body.error?.code ?? "", at: Date.now() })
  } else if (![404, 410, 503].includes(answer.status)) {
    broken.push(`the hold of ${task} was answered ${answer.status} ${answer.body.error?.code}`)
  }
}

/** How the task ended, if it did or is gone; from the 202 on every node knows it. */
async function look(
  { broken, call, missing }: Caller,
  account: string,
  task: string,
): Promise<string | undefined> {
  const answer = await call(account, `/v1/tasks/${task}`)
  if (answer === null || isOfAccount(answer) || answer.status === 503) return undefined
  const { body, status } = answer
  if (status === 404) missing.add(task)
  else if (status !== 200) broken.push(`task ${task} was answered ${status}`)
  if (status === 404) return "missing"
  return body.status === "succeeded" || body.status === "failed" ? body.status : undefined
}

export function toSubmission(
  { labels, maxCostMicros, model, parameters, request }: PlannedRequest,
  quote?: string,
): Sent {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  return {
    headers: {
      "content-type": "application/json",
      "idempotency-key": `request-${request}`,
      "safelight-label": label.join(", "),
      ...(maxCostMicros !== undefined && { "safelight-max-cost-micros": `${maxCostMicros}` }),
      ...(quote !== undefined && { "safelight-quote": quote }),
    },
    body: JSON.stringify({ model, parameters }),
  }
}
