/**
 * Collecting: a channel's outputs are copied into artifact storage first, and only when all are
 * durable may `succeeded` be recorded. Outputs of a failed collection are removed at once, as far
 * as that works; what stays is an orphan that retention removes.
 */
import {
  chargeOf,
  isSafelightError,
  toArtifactKey,
  type ChannelOutput,
  type Completed,
  type ManifestEntry,
  type Task,
  type TaskCommand,
  type Usage,
} from "@safelight/core"
import type { Context } from "./context.ts"
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
  const kind = modelOf(context, task).artifacts
  const stored: ManifestEntry[] = []
  const expiresAt = context.clock.now() + context.settings.retentionMs
  try {
    for (const [position, output] of completed.outputs.entries()) {
      const key = toArtifactKey(kind, position)
      stored.push(await store(context, work, output, { expiresAt, key, type: kind }))
    }
  } catch (error) {
    await discard(context, stored)
    throw error
  }
  const usage = toUsage(kind, stored, completed)
  return {
    kind: "succeed",
    artifacts: stored,
    chargeMicros: chargeOf(modelOf(context, task), context.prices, task.priceVersion, usage),
    usage,
  }
}

async function store(
  context: Context,
  work: Work,
  output: ChannelOutput,
  { expiresAt, key, type }: Pick<ManifestEntry, "expiresAt" | "key" | "type">,
): Promise<ManifestEntry> {
  await context.probe("collect:before-put", work.id)
  // What came with the answer to a purchase can't be had again by polling: it is never cut short.
  const isPolled = work.head.task.state === "running"
  const put = await context.artifacts.put({
    task: work.id,
    key,
    body: output.body,
    ...(isPolled && { signal: work.controller.signal }),
  })
  await context.probe("collect:after-put", work.id)
  const { bytes, place, sha256 } = put
  const durationMs = output.durationMs === undefined ? null : Math.ceil(output.durationMs)
  // In the order of canonical JSON, which then costs no sorting.
  return { bytes, durationMs, expiresAt, key, mimeType: output.mimeType, place, sha256, type }
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

function modelOf(context: Context, task: Task): NonNullable<ReturnType<Context["models"]["get"]>> {
  const model = context.models.get(task.model)
  if (model === undefined) throw new TypeError(`model ${task.model} is not served here`)
  return model
}
