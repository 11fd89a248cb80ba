/**
 * Submits the tasks of a call, all at once, each with a key that follows from the call's. If one of them fails, the
 * others stay: the error names them, and the same call with the same key joins them.
 *
 * An aborted call cancels its tasks. A submission under way is waited for, since without its answer there is
 * nothing to cancel by.
 */
import type { ClientTask } from "@safelight/client"
import type { Call } from "../calls/open-call.ts"
import { toSdkError, type ModelType } from "../calls/to-sdk-error.ts"

/** How long an aborted call waits for what it has sent, and then for its cancellation. */
const ABORT_GRACE_MS = 10_000

/** Rejects with an error of the SDK, or with the reason of the caller's signal. */
export async function submitTasks(
  call: Call,
  modelType: ModelType,
  requests: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly ClientTask[]> {
  const { client, modelId, options, signal, submitting } = call
  const { labels, maxCostMicros, quote } = options
  signal?.throwIfAborted()
  let timer: ReturnType<typeof setTimeout> | undefined
  const onAbort = (): void => {
    timer = setTimeout(() => submitting.abort(signal?.reason), ABORT_GRACE_MS)
  }
  signal?.addEventListener("abort", onAbort, { once: true })
  const more = { labels, maxCostMicros, quote, signal: submitting.signal }
  const ends = await Promise.allSettled(
    requests.map((parameters, index) =>
      client.submit(modelId, parameters, { ...more, idempotencyKey: toKey(call.key, index) }),
    ),
  )
  clearTimeout(timer)
  signal?.removeEventListener("abort", onAbort)
  const tasks = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []))
  if (signal?.aborted === true) {
    await cancelTasks(call, tasks)
    throw signal.reason
  }
  const errors: unknown[] = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []))
  if (errors.length === 0) return tasks
  const unknown = errors.find(isUnknown)
  throw toSdkError(unknown ?? errors[0], call, {
    modelType,
    parameters: requests[0],
    taskIds: tasks.map(({ task_id: id }) => id),
    isUnknown: unknown !== undefined,
  })
}

/** Waits for all; if the call is aborted meanwhile, cancels them and rejects with the signal's reason. */
export async function waitForTasks(
  call: Call,
  tasks: readonly ClientTask[],
): Promise<readonly ClientTask[]> {
  const { client, signal } = call
  try {
    return await Promise.all(tasks.map((task) => client.wait(task, { signal })))
  } catch (error) {
    if (signal?.aborted !== true) throw error
    await cancelTasks(call, tasks)
    throw signal.reason
  }
}

/** As far as they can be: a task that goes on is still found by its labels, and nobody waits to hear of it here. */
async function cancelTasks({ client }: Call, tasks: readonly ClientTask[]): Promise<void> {
  const signal = AbortSignal.timeout(ABORT_GRACE_MS)
  await Promise.allSettled(tasks.map((task) => client.cancel(task, { signal })))
}

function toKey(key: string, index: number): string {
  return index === 0 ? key : `${key}/${index + 1}`
}

function isUnknown(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "outcome_unknown"
}
