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
import {
  countUsable,
  findLacking,
  hasMainKind,
  takeAskedKinds,
  toAskedCounts,
  type AskedCounts,
} from "../media/output-kinds.ts"
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
  const asked = toAskedCounts(model, work.parameters)
  const outputs = takeUsable(context, work, asked, completed.outputs)
  const parts = context.keptOutputs.take(work)
  try {
    const found = await storeOutputs(context, work, model, { outputs, parts })
    const { failure, loss } = found
    const taken = takeAskedKinds(found.stored, asked)
    const lacking = findLacking(taken, asked)
    const hasMain = hasMainKind(model, taken)
    if (failure !== undefined && lacking.length > 0 && !(hasMain && isLast())) throw failure
    const unused = parts.filter((part) => !(hasMain && taken.includes(part.stored)))
    if (!hasMain) {
      await discardParts(context, work, unused)
      return fail(context, work, loss, completed)
    }
    const result = { completed, made: outputs.length, stored: taken }
    report(context, work, { ...found, asked, lacking, outputs, taken })
    const success = await succeed(context, work, model, result)
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

interface Collected extends StoredOutputs {
  readonly asked: AskedCounts
  readonly lacking: readonly ArtifactKind[]
  readonly outputs: readonly ChannelOutput[]
  readonly taken: readonly StoredOutput[]
}

/**
 * Tells of outputs that were made and can't be had, which were paid for at the provider and are charged to nobody;
 * where several kinds were asked for, also of a kind that was not made, and of what is left over.
 */
function report(
  { log }: Context,
  { head, id: task }: Work,
  { asked, failure, lacking, loss, outputs, stored, taken }: Collected,
): void {
  const { dispatch, operation } = head.task
  const counts = { outputs: outputs.length, stored: taken.length }
  const isMixed = asked.size > 1
  if (isMixed && taken.length < stored.length) log.warn({ task, ...counts }, "surplus outputs")
  if (isMixed ? lacking.length === 0 : stored.length === outputs.length) return
  log.error(
    {
      task,
      channel: dispatch?.channel,
      operation,
      ...counts,
      ...(isMixed && { lacking }),
      error: failure ?? loss,
    },
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
  const characters = work.parameters && model.estimate(work.parameters).characters
  const usage = toUsage(stored, { characters, inputVideosMs, tokens: completed.tokens })
  const isOfImages = model.artifacts.length === 1 && model.artifacts[0] === "image"
  const madeUsage = isOfImages ? { ...usage, images: made } : usage
  return {
    kind: "succeed",
    artifacts: toManifest(stored, expiresAt),
    chargeMicros: toCharge(context, task, model, usage),
    cost: toAttemptCost(context, work, completed.cost, madeUsage),
    usage,
  }
}

/** As many outputs as may have been asked for: what a channel makes beyond them nobody ordered. */
function takeUsable(
  context: Context,
  work: Work,
  asked: AskedCounts,
  outputs: readonly ChannelOutput[],
): readonly ChannelOutput[] {
  const most = countUsable(asked)
  if (outputs.length <= most) return outputs
  const counts = { task: work.id, outputs: outputs.length, asked: most }
  context.log.warn(counts, "surplus outputs")
  return outputs.slice(0, most)
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
function toManifest(stored: readonly StoredOutput[], expiresAt: number): readonly ManifestEntry[] {
  const counts = new Map<ArtifactKind, number>()
  return stored.map(({ bytes, durationMs, locator, mimeType, sha256, type }) => {
    const nth = (counts.get(type) ?? 0) + 1
    counts.set(type, nth)
    const key = toArtifactKey(type, nth)
    return { bytes, durationMs, expiresAt, key, locator, mimeType, sha256, type }
  })
}

interface Used {
  readonly characters: number | undefined
  readonly inputVideosMs: readonly number[]
  readonly tokens: number | undefined
}

/** Nothing is said of sound, characters and tokens where there are none. */
function toUsage(
  stored: readonly StoredOutput[],
  { characters = 0, inputVideosMs, tokens = 0 }: Used,
): Usage {
  const sumMs = (kind: ArtifactKind): number =>
    stored.reduce(
      (total, { durationMs, type }) => total + (type === kind ? (durationMs ?? 0) : 0),
      0,
    )
  const outputAudioMs = sumMs("audio")
  return {
    ...(characters > 0 && { characters }),
    images: stored.filter(({ type }) => type === "image").length,
    inputVideosMs: [...inputVideosMs],
    ...(outputAudioMs > 0 && { outputAudioMs }),
    outputVideoMs: sumMs("video"),
    ...(tokens > 0 && { tokens }),
  }
}
