/**
 * From what a channel answered to what is recorded: the one place where outcomes become commands.
 */
import {
  type Completed,
  type Input,
  type NotCreated,
  type Refused,
  type TaskCommand,
  toCanonicalJson,
} from "@safelight/core"
import { collect } from "./collect.ts"
import type { Context } from "./context.ts"
import { persist } from "./persist.ts"
import { recordFact } from "./record-fact.ts"
import { toBackoffMs } from "./settings.ts"
import { requireSettled, toCharge } from "./settlement.ts"
import { REQUEST_INPUT } from "./submission.ts"
import type { StepResult, Work } from "./work.ts"

/** Records the end of an attempt; `before` are commands that belong in the same append. */
export async function settle(
  context: Context,
  work: Work,
  outcome: Completed | Refused | NotCreated,
  before: readonly TaskCommand[] = [],
): Promise<StepResult> {
  const command = await toCommand(context, work, outcome)
  const inputs = outcome.kind === "refused" ? await toProviderInput(context, work, outcome) : []
  const isSuccess = command.kind === "succeed"
  await context.probe(isSuccess ? "succeed:before-append" : "outcome:before-append", work.id)
  const result = await recordFact(context, work, [...before, command], inputs)
  await context.probe(isSuccess ? "succeed:after-append" : "outcome:after-append", work.id)
  if (outcome.kind === "refused") report(context, work, outcome)
  return result
}

/** A client sees our code alone; whoever runs the node has to find the task and who refused it. */
function report({ log }: Context, work: Work, { code }: Refused): void {
  const channel = work.head.task.dispatch?.channel ?? null
  log.warn({ task: work.id, channel, code }, "a task was refused")
}

/** The end of a task whose parameters were erased before a channel could have them. */
export const ERASED: Refused = {
  kind: "refused",
  code: "internal_error",
  message: "The request's parameters were erased before it was carried out.",
}

function toCommand(
  context: Context,
  work: Work,
  outcome: Completed | Refused | NotCreated,
): Promise<TaskCommand> | TaskCommand {
  const { attempt } = work.head.task
  switch (outcome.kind) {
    case "completed":
      return collect(context, work, outcome)
    case "refused":
      return {
        kind: "fail",
        attempt,
        code: outcome.code,
        ...(outcome.message !== undefined && { message: outcome.message }),
        ...toBill(context, work, outcome),
      }
    case "not-created": {
      // A channel may ask for a longer pause and for none that is shorter: each try is written down.
      const backoffMs = toBackoffMs(context.settings, attempt)
      const pauseMs = Math.max(outcome.retryAfterMs ?? 0, backoffMs)
      return {
        kind: "defer",
        attempt,
        reason: outcome.reason,
        retryAt: context.clock.now() + pauseMs,
      }
    }
  }
}

/** A failed task costs nothing unless the channel was billed for it (design §8). */
function toBill(
  context: Context,
  work: Work,
  { billed }: Refused,
): Pick<Extract<TaskCommand, { kind: "fail" }>, "billed"> {
  if (billed === undefined) return {}
  const { task } = work.head
  const model = requireSettled(context, task)
  const usage = { inputVideosMs: [], ...billed }
  return { billed: { chargeMicros: toCharge(context, task, model, usage), usage } }
}

/**
 * A provider's own words stand beside the log, erasable, never in an event (design §3). Where the
 * request was erased they are not kept either: they may repeat it.
 */
async function toProviderInput(
  context: Context,
  work: Work,
  { providerWords }: Refused,
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
