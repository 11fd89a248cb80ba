/**
 * From what a channel answered to what is recorded: the one place where outcomes become commands.
 */
import {
  type AttemptCost,
  type Completed,
  type Input,
  type NotCreated,
  type Refused,
  type TaskCommand,
  toCanonicalJson,
  traceCall,
  REQUEST_INPUT,
} from "@safelight/core"
import { toAttemptCost } from "../record/attempt-cost.ts"
import { collect } from "./collect.ts"
import type { Context } from "../host/context.ts"
import { persist } from "../record/persist.ts"
import { recordFact } from "./record-fact.ts"
import { asksOthers } from "./refusal-rule.ts"
import { toBackoffMs } from "../host/settings.ts"
import { requireSettled, toCharge } from "../record/settlement.ts"
import type { StepResult, Work } from "./work.ts"

export interface SettleOptions {
  /** Commands that belong in the same append. */
  readonly before?: readonly TaskCommand[]
  /** Whether outputs that lack by then are done without; never by default. */
  readonly isLast?: () => boolean
}

type Outcome = Completed | Refused | NotCreated

/** Records the end of an attempt. */
export async function settle(
  context: Context,
  work: Work,
  outcome: Outcome,
  options: SettleOptions = {},
): Promise<StepResult> {
  // A provider that knows its outputs no more takes none back of which some are here.
  const isOver = outcome.kind !== "completed" || outcome.outputs.length === 0
  const kept = isOver ? context.keptOutputs.findAnswer(work) : undefined
  const end = kept ?? outcome
  work.isCollecting = end.kind === "completed"
  try {
    return await record(context, work, end, kept ? { ...options, isLast: () => true } : options)
  } finally {
    work.isCollecting = false
  }
}

async function record(
  context: Context,
  work: Work,
  outcome: Outcome,
  { before = [], isLast = () => false }: SettleOptions,
): Promise<StepResult> {
  const command = await toCommand(context, work, outcome, isLast)
  const inputs = outcome.kind === "completed" ? [] : await toProviderInput(context, work, outcome)
  const isSuccess = command.kind === "succeed"
  await context.probe(isSuccess ? "succeed:before-append" : "outcome:before-append", work.id)
  const result = await recordFact(context, work, [...before, command], { inputs })
  await context.probe(isSuccess ? "succeed:after-append" : "outcome:after-append", work.id)
  if (outcome.kind === "refused") report(context, work, outcome)
  return result
}

/** A client sees our code alone; the operator has to find the task and who refused it. */
function report({ log }: Context, work: Work, { code }: Refused): void {
  const channel = work.head.task.dispatch?.channel ?? null
  log.warn({ task: work.id, channel, code }, "task refused")
}

/** The end of a task whose parameters were erased before a channel could have them. */
export const ERASED: Refused = {
  kind: "refused",
  code: "internal_error",
  message: "The request's parameters were erased before it was carried out.",
}

async function toCommand(
  context: Context,
  work: Work,
  outcome: Outcome,
  isLast: () => boolean,
): Promise<TaskCommand> {
  const { attempt, state } = work.head.task
  // A callback may have shown meanwhile that there is work.
  const answer = state === "running" ? {} : ({ isAnswer: true } as const)
  switch (outcome.kind) {
    case "completed":
      return traceCall(context.tracer, { name: "collect" }, () =>
        collect(context, work, outcome, { isLast }),
      )
    case "refused":
      return { ...(await toRefusal(context, work, outcome)), ...answer }
    case "not-created": {
      // A channel may ask for a longer pause and for none that is shorter: each try is written down.
      const backoffMs = toBackoffMs(context.settings, attempt)
      const pauseMs = Math.max(outcome.retryAfterMs ?? 0, backoffMs)
      const { cost: told, reason } = outcome
      const cost = told === undefined ? "none" : toAttemptCost(context, work, told)
      const retryAt = context.clock.now() + pauseMs
      return { kind: "defer", attempt, cost, reason, retryAt, ...answer }
    }
  }
}

/** The end of the task, or of this channel's part in it. */
async function toRefusal(
  context: Context,
  work: Work,
  refused: Refused,
): Promise<Extract<TaskCommand, { kind: "defer" | "fail" }>> {
  const { attempt } = work.head.task
  const { code, message } = refused
  const { billed, cost } = toBill(context, work, refused)
  if (await asksOthers(context, work, refused)) {
    const retryAt = context.clock.now()
    return { kind: "defer", attempt, cost, isRefusal: true, reason: code, retryAt }
  }
  const told = { ...(message !== undefined && { message }), ...(billed && { billed }) }
  return { kind: "fail", attempt, code, cost, ...told }
}

interface Bill {
  readonly billed?: NonNullable<Extract<TaskCommand, { kind: "fail" }>["billed"]>
  readonly cost: AttemptCost
}

/** A failed task costs its account nothing unless the channel was billed for it (design §8). */
function toBill(context: Context, work: Work, { billed, cost: told }: Refused): Bill {
  if (billed === undefined) {
    return { cost: told === undefined ? "none" : toAttemptCost(context, work, told) }
  }
  if (billed === "maybe") return { cost: toAttemptCost(context, work, told) }
  const { task } = work.head
  const model = requireSettled(context, task)
  const usage = { inputVideosMs: [], ...billed }
  const charge = { chargeMicros: toCharge(context, task, model, usage), usage }
  return { billed: charge, cost: toAttemptCost(context, work, told, usage) }
}

/**
 * A provider's own words are stored next to the log, erasable, never in an event (design §3). Where the
 * request was erased they are not kept either: they may repeat it.
 */
export async function toProviderInput(
  context: Context,
  work: Work,
  { providerWords }: Pick<Refused, "providerWords">,
): Promise<Input[]> {
  if (providerWords === undefined) return []
  // What this process remembers of the request says nothing: it may have been erased since.
  const read = (): Promise<Input | undefined> =>
    context.storage.readInput({ task: work.id, name: REQUEST_INPUT })
  if ((await persist(context, read, work.ending.signal)) === undefined) return []
  const name = `provider:${work.head.task.attempt}`
  const body = toCanonicalJson({ words: providerWords.toWellFormed() })
  return [{ task: work.id, name, salt: context.identifiers.createSalt(), body }]
}
