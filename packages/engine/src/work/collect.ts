/**
 * Collecting: a channel's outputs are copied into artifact storage first, and only when all are
 * durable may `succeeded` be recorded. Outputs of a failed collection are removed at once, as far
 * as that works soon; what stays is an orphan that retention removes. How long an account's artifacts
 * are kept is asked once, here: from then on the manifest's `expiresAt` alone counts.
 */
import {
  isSafelightError,
  toArtifactKey,
  traceCall,
  type Account,
  type ChannelOutput,
  type Completed,
  type ManifestEntry,
  type MediaKind,
  type Model,
  type TaskCommand,
  type Usage,
} from "@safelight/core"
import { toAttemptCost } from "../record/attempt-cost.ts"
import type { Context } from "../host/context.ts"
import { discardStored } from "./media/inspect-stored.ts"
import { toInputVideosMs } from "./media/measure-inputs.ts"
import {
  isLost,
  measureOutput,
  openOutput,
  requireDigest,
  toFetchOrder,
} from "./media/open-output.ts"
import { persist } from "../record/persist.ts"
import { requireSettled, toCharge } from "../record/settlement.ts"
import type { Work } from "./work.ts"

/**
 * Stores the outputs and returns the command that records the success, or the failure where there
 * is nothing to store, or nothing that is of use. Rejects where the storage, a download or a
 * measurement fails and may go better; nothing is then left behind but orphans.
 */
export async function collect(
  context: Context,
  work: Work,
  completed: Completed,
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
  const stored: StoredOutput[] = []
  let expiresAt: number
  let inputVideosMs: readonly number[]
  try {
    for (const position of toFetchOrder(outputs)) {
      stored[position] = await store(context, work, model, outputs, position)
    }
    expiresAt = await findExpiry(context, work)
    inputVideosMs = await toInputVideosMs(context, work, model, completed)
  } catch (error) {
    await Promise.all(
      Object.values(stored).map(({ locator }) => discardStored(context, work.id, locator)),
    )
    if (error instanceof LostOutput) return fail(context, work, error, completed)
    throw error
  }
  const usage = toUsage(model.artifacts, stored, inputVideosMs)
  return {
    kind: "succeed",
    artifacts: stored.map((each) => toManifestEntry(each, expiresAt, model.artifacts)),
    chargeMicros: toCharge(context, task, model, usage),
    cost: toAttemptCost(context, work, completed.cost, usage),
    usage,
  }
}

/** The end of a task whose output was made and is of no use, or is gone. */
function fail(
  context: Context,
  work: Work,
  { cause }: LostOutput,
  { cost: told }: Completed,
): TaskCommand {
  const { attempt, dispatch, operation } = work.head.task
  context.log.error(
    { task: work.id, channel: dispatch?.channel, operation, error: cause },
    "output unusable",
  )
  const message = "The provider's output could not be used."
  const cost = toAttemptCost(context, work, told)
  return { kind: "fail", attempt, code: "no_output", message, cost }
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
  if (model.artifacts === "video") return 1
  // Of parameters that were erased nobody can tell; the reservation bounds the charge all the same.
  return parameters === undefined ? Infinity : model.estimate(parameters).images
}

type StoredOutput = Omit<ManifestEntry, "expiresAt" | "expiryHidden" | "type">

/** No further try brings the output. */
class LostOutput extends Error {
  override readonly name = "LostOutput"
}

async function store(
  context: Context,
  work: Work,
  model: Model,
  outputs: readonly ChannelOutput[],
  position: number,
): Promise<StoredOutput> {
  const output = outputs[position] as ChannelOutput
  const key = toArtifactKey(model.artifacts, position)
  await context.probe("collect:before-put", work.id)
  try {
    const put = await traceCall(context.tracer, { name: "store artifact" }, async (span) => {
      const made = await putInTime(context, work, output, { key, kind: model.artifacts })
      span?.set({ "safelight.artifact.key": key, "safelight.artifact.bytes": made.bytes })
      return made
    })
    await context.probe("collect:after-put", work.id)
    return put
  } catch (error) {
    if (!isSafelightError(error) || !isLost(context, work, output, error)) throw error
    throw new LostOutput(error.message, { cause: error })
  }
}

/**
 * Puts with an end: past the task's own a body that stalls holds its permit for nothing. What was
 * answered close to it has one more poll's time, since nobody may have recorded the end yet.
 */
async function putInTime(
  context: Context,
  work: Work,
  output: ChannelOutput,
  { key, kind }: { readonly key: string; readonly kind: MediaKind },
): Promise<StoredOutput> {
  const { clock, deadlines, settings } = context
  const leftMs = work.head.task.endBy - clock.judgedNow()
  const boundMs = Math.max(leftMs, settings.pollTimeoutMs)
  let putting: Promise<StoredOutput> | undefined

  async function put(signal: AbortSignal): Promise<StoredOutput> {
    const { body, mimeType } = await openOutput(context, work, output, { kind, signal })
    const stored = await context.artifacts.put({ task: work.id, key, body, signal })
    try {
      requireDigest(output, stored)
      const durationMs = await measureOutput(context, output, stored, { kind, signal })
      return { ...stored, durationMs, key, mimeType }
    } catch (error) {
      await discardStored(context, work.id, stored.locator)
      throw error
    }
  }

  try {
    return await deadlines.run(boundMs, toSignal(work), (signal) => (putting = put(signal)))
  } catch (error) {
    if (putting === undefined) throw error
    // It hears the signal too: what it leaves behind is tidied up, and what it just stored counts.
    return putting
  }
}

/**
 * What ends a collection early. The result of a running task can be polled again: it is left to
 * whoever holds it. In any other state it came with the answer to a purchase and can't be had
 * twice, so that only the engine's end cuts it short, and no lost lease does.
 */
function toSignal({ controller, ending, head }: Work): AbortSignal {
  return head.task.state === "running" ? controller.signal : ending.signal
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

/** In the order of canonical JSON, which then costs no sorting. */
function toManifestEntry(
  { bytes, durationMs, key, locator, mimeType, sha256 }: StoredOutput,
  expiresAt: number,
  type: ManifestEntry["type"],
): ManifestEntry {
  return { bytes, durationMs, expiresAt, key, locator, mimeType, sha256, type }
}

function toUsage(
  kind: "image" | "video",
  stored: readonly { readonly durationMs: number | null }[],
  inputVideosMs: readonly number[],
): Usage {
  return {
    images: kind === "image" ? stored.length : 0,
    inputVideosMs: [...inputVideosMs],
    outputVideoMs: stored.reduce((total, { durationMs }) => total + (durationMs ?? 0), 0),
  }
}
