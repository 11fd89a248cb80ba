/**
 * Collecting: a channel's outputs are copied into artifact storage first, and only when all are
 * durable may `succeeded` be recorded. Outputs of a failed collection are removed at once, as far
 * as that works; what stays is an orphan that retention removes. How long an account's artifacts
 * are kept is asked once, here: from then on the manifest's `expiresAt` alone counts.
 */
import {
  chargeOf,
  isSafelightError,
  toArtifactKey,
  type Account,
  type ChannelOutput,
  type Completed,
  type ManifestEntry,
  type Model,
  type Task,
  type TaskCommand,
  type Usage,
} from "@safelight/core"
import type { Context } from "./context.ts"
import { persist } from "./persist.ts"
import type { Work } from "./work.ts"

/**
 * Stores the outputs and returns the command that records the success, or the failure where there
 * is nothing to store. Rejects where the storage or a body fails; nothing is then left behind but
 * orphans.
 */
export async function collect(
  context: Context,
  work: Work,
  completed: Completed,
): Promise<TaskCommand> {
  const { task } = work.head
  if (completed.outputs.length === 0) {
    return { kind: "fail", attempt: task.attempt, code: "no_output" }
  }
  const model = modelOf(context, task)
  const stored: StoredOutput[] = []
  let expiresAt: number
  try {
    for (const [position, output] of completed.outputs.entries()) {
      const key = toArtifactKey(model.artifacts, position)
      stored.push(await store(context, work, key, output))
    }
    expiresAt = await findExpiry(context, work)
  } catch (error) {
    await discard(context, stored)
    throw error
  }
  const usage = toUsage(model.artifacts, stored, completed)
  return {
    kind: "succeed",
    artifacts: stored.map((each) => toManifestEntry(each, expiresAt, model.artifacts)),
    chargeMicros: chargeOf(model, context.prices, task.priceVersion, usage),
    usage,
  }
}

type StoredOutput = Omit<ManifestEntry, "expiresAt" | "expiryHidden" | "type">

async function store(
  context: Context,
  work: Work,
  key: string,
  { body, durationMs, mimeType }: ChannelOutput,
): Promise<StoredOutput> {
  await context.probe("collect:before-put", work.id)
  // What came with the answer to a purchase can't be had again by polling: it is never cut short.
  const isPolled = work.head.task.state === "running"
  const put = await context.artifacts.put({
    task: work.id,
    key,
    body,
    ...(isPolled && { signal: work.controller.signal }),
  })
  await context.probe("collect:after-put", work.id)
  return {
    ...put,
    durationMs: durationMs === undefined ? null : Math.ceil(durationMs),
    key,
    mimeType,
  }
}

/** When artifacts stored now are gone, by their account's own time or the engine's. */
async function findExpiry(context: Context, { head, controller }: Work): Promise<number> {
  const { clock, log, settings, storage } = context
  // Tried again as an append is: an outage of the database must not cost a paid result.
  const find = (): Promise<Account | undefined> => storage.findAccount(head.task.account)
  let account: Account | undefined
  try {
    account = await persist(context, find, controller.signal)
  } catch (error) {
    // Nor may an account that can't be read: what was bought is kept for the common time.
    if (!isSafelightError(error) || error.retryable) throw error
    log.error({ task: head.task.id, error }, "an account's retention could not be read")
  }
  return clock.now() + (account?.retentionMs ?? settings.retentionMs)
}

/** In the order of canonical JSON, which then costs no sorting. */
function toManifestEntry(
  { bytes, durationMs, key, mimeType, place, sha256 }: StoredOutput,
  expiresAt: number,
  type: ManifestEntry["type"],
): ManifestEntry {
  return { bytes, durationMs, expiresAt, key, mimeType, place, sha256, type }
}

async function discard(context: Context, stored: readonly { place: string }[]): Promise<void> {
  for (const { place } of stored) {
    try {
      await context.artifacts.remove(place)
    } catch (error) {
      // The orphan is found again by retention; what matters is the error that led here.
      if (!isSafelightError(error)) throw error
      context.log.warn({ error }, "an output of a failed collection was left for retention")
    }
  }
}

function toUsage(
  kind: "image" | "video",
  stored: readonly { readonly durationMs: number | null }[],
  completed: Completed,
): Usage {
  return {
    images: kind === "image" ? stored.length : 0,
    inputVideosMs: (completed.inputVideosMs ?? []).map((durationMs) => Math.ceil(durationMs)),
    outputVideoMs: stored.reduce((total, { durationMs }) => total + (durationMs ?? 0), 0),
  }
}

function modelOf(context: Context, task: Task): Model {
  const model = context.models.get(task.model)
  if (model === undefined) throw new TypeError(`model ${task.model} is not served here`)
  return model
}
