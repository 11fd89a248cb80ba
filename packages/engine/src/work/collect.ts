/**
 * Collecting: a channel's outputs are copied into artifact storage first, and only when all are
 * durable may `succeeded` be recorded; at its end a task has those that are. What is stored before is kept for
 * the next try, and removed once the task has ended without it, as far as that works soon; what stays is an
 * orphan that retention removes. How long an account's artifacts are kept is asked once, here: from then on
 * the manifest's `expiresAt` alone counts.
 */
import {
  isSafelightError,
  toArtifactKey,
  toMainKind,
  type Account,
  type ArtifactKind,
  type ChannelOutput,
  type Completed,
  type ManifestEntry,
  type Model,
  type TaskCommand,
  type Usage,
} from "@safelight/core"
import { toAttemptCost } from "../record/attempt-cost.ts"
import type { Context } from "../host/context.ts"
import { toInputVideosMs } from "../media/measure-inputs.ts"
import { discardParts, type StoredOutput } from "../media/kept-outputs.ts"
import { storeOutputs, toSignal, type StoredOutputs } from "../media/store-output.ts"
import { persist } from "../record/persist.ts"
import { requireSettled, toCharge } from "../record/settlement.ts"
import type { Work } from "./work.ts"

export interface CollectOptions {
  /** Whether outputs that are not there by now are done without. */
  readonly isLast: () => boolean
}

/**
 * Stores the outputs and returns the command that records the success, or the failure where there
 * is nothing to store, or nothing that is of use. Rejects where the storage, a download or a
 * measurement fails and may go better; what is stored by then is kept.
 */
export async function collect(
  context: Context,
  work: Work,
  completed: Completed,
  { isLast }: CollectOptions,
): Promise<TaskCommand> {
  const { task } = work.head
  if (completed.outputs.length === 0) {
    const { dispatch, operation } = task
    context.log.error({ task: task.id, channel: dispatch?.channel, operation }, "outputs missing")
    const cost = toAttemptCost(context, work, completed.cost)
    return { kind: "fail", attempt: task.attempt, code: "no_output", cost }
  }
  // Before anything is stored: where either is missing, nothing may be left behind.
  const model = requireSettled(context, task)
  const outputs = takeAsked(context, work, model, completed.outputs)
  const parts = context.keptOutputs.take(work)
  try {
    const found = await storeOutputs(context, work, model, { outputs, parts })
    const { failure, loss, stored } = found
    if (failure !== undefined && !(stored.length > 0 && isLast())) throw failure
    if (stored.length === 0) return fail(context, work, loss, completed)
    if (stored.length < outputs.length) reportLacking(context, work, outputs, found)
    const success = await succeed(context, work, model, { completed, made: outputs.length, stored })
    const unused = parts.filter((part) => !stored.includes(part.stored))
    if (unused.length > 0) await discardParts(context, work, unused)
    return success
  } catch (error) {
    if (toSignal(work).aborted) await discardParts(context, work, parts)
    else context.keptOutputs.keep(work, completed, parts)
    throw error
  }
}

/** The end of a task whose output was made and is of no use, or is gone. */
function fail(
  context: Context,
  work: Work,
  error: unknown,
  { cost: told }: Completed,
): TaskCommand {
  const { attempt, dispatch, operation } = work.head.task
  context.log.error(
    { task: work.id, channel: dispatch?.channel, operation, error },
    "output unusable",
  )
  const message = "The provider's output could not be used."
  const cost = toAttemptCost(context, work, told)
  return { kind: "fail", attempt, code: "no_output", message, cost }
}

/** They were paid for at the provider, and are charged to nobody. */
function reportLacking(
  { log }: Context,
  work: Work,
  outputs: readonly ChannelOutput[],
  { failure, loss, stored }: StoredOutputs,
): void {
  const { dispatch, operation } = work.head.task
  const counts = { outputs: outputs.length, stored: stored.length }
  const error = failure ?? loss
  log.error(
    { task: work.id, channel: dispatch?.channel, operation, ...counts, error },
    "outputs lacking",
  )
}

interface Result {
  readonly completed: Completed
  /** How many outputs the channel has made of those that were asked for. */
  readonly made: number
  readonly stored: readonly StoredOutput[]
}

/** What the account is charged is what it has; what the attempt cost is what the channel made. */
async function succeed(
  context: Context,
  work: Work,
  model: Model,
  { completed, made, stored }: Result,
): Promise<TaskCommand> {
  const { task } = work.head
  const expiresAt = await findExpiry(context, work)
  const inputVideosMs = await toInputVideosMs(context, work, model, completed)
  const kind = toMainKind(model)
  const usage = toUsage(kind, stored, inputVideosMs)
  const madeUsage = kind === "image" ? { ...usage, images: made } : usage
  return {
    kind: "succeed",
    artifacts: stored.map((each, position) =>
      toManifestEntry(each, { expiresAt, position, type: kind }),
    ),
    chargeMicros: toCharge(context, task, model, usage),
    cost: toAttemptCost(context, work, completed.cost, madeUsage),
    usage,
  }
}

/** As many outputs as were asked for: what a channel makes beyond them nobody ordered. */
function takeAsked(
  context: Context,
  work: Work,
  model: Model,
  outputs: readonly ChannelOutput[],
): readonly ChannelOutput[] {
  const most = countAsked(model, work)
  if (outputs.length <= most) return outputs
  const counts = { task: work.id, outputs: outputs.length, asked: most }
  context.log.warn(counts, "surplus outputs")
  return outputs.slice(0, most)
}

function countAsked(model: Model, { parameters }: Work): number {
  if (toMainKind(model) === "video") return 1
  // Of parameters that were erased nobody can tell; the reservation bounds the charge all the same.
  return parameters === undefined ? Infinity : model.estimate(parameters).images
}

/** When artifacts stored now are gone, by their account's own time or the engine's. */
async function findExpiry(context: Context, work: Work): Promise<number> {
  const { clock, log, settings, storage } = context
  const { task } = work.head
  // Tried again as an append is: an outage of the database must not cost a paid result.
  const find = (): Promise<Account | undefined> => storage.findAccount(task.account)
  let account: Account | undefined
  try {
    account = await persist(context, find, toSignal(work))
  } catch (error) {
    // Nor may an account that can't be read: what was bought is kept for the common time.
    if (!isSafelightError(error) || error.retryable) throw error
    log.error({ task: task.id, error }, "retention not read")
  }
  return clock.now() + (account?.retentionMs ?? settings.retentionMs)
}

/** In the order of canonical JSON, which then costs no sorting. Keys are in order, whatever lacks. */
function toManifestEntry(
  { bytes, durationMs, locator, mimeType, sha256 }: StoredOutput,
  {
    expiresAt,
    position,
    type,
  }: Pick<ManifestEntry, "expiresAt" | "type"> & {
    readonly position: number
  },
): ManifestEntry {
  const key = toArtifactKey(type, position + 1)
  return { bytes, durationMs, expiresAt, key, locator, mimeType, sha256, type }
}

function toUsage(
  kind: ArtifactKind,
  stored: readonly { readonly durationMs: number | null }[],
  inputVideosMs: readonly number[],
): Usage {
  return {
    images: kind === "image" ? stored.length : 0,
    inputVideosMs: [...inputVideosMs],
    outputVideoMs: stored.reduce((total, { durationMs }) => total + (durationMs ?? 0), 0),
  }
}
