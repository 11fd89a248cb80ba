/**
 * The tasks that this page has started, newest first. Each is bought once: a submission whose outcome is unknown is
 * repeated under the same idempotency key for as long as the form holds the same.
 */
import { isApiError, type ApiError, type Artifact, type Client, type Task } from "@safelight/client"
import { signal, type ReadonlySignal } from "@preact/signals"
import type { Order } from "./code-lines.ts"

export interface Run {
  readonly order: Order
  readonly task: Task
  readonly artifacts: readonly Artifact[]
  /** The task continues, and this page could not follow it. */
  readonly error?: unknown
}

export interface Runs {
  readonly list: ReadonlySignal<readonly Run[]>
  /** Resolves once the task is accepted, to what refused it if it was refused. */
  readonly start: (order: Order, quote: string | undefined) => Promise<ApiError | undefined>
  /** Ends the following, not the tasks. */
  readonly close: () => void
}

export function createRuns(client: Client): Runs {
  const list = signal<readonly Run[]>([])
  const abort = new AbortController()
  let last: { readonly text: string; readonly idempotencyKey: string } | undefined

  function keyOf(order: Order): string {
    const text = JSON.stringify(order)
    if (last?.text !== text) last = { text, idempotencyKey: createKey() }
    return last.idempotencyKey
  }

  function update(id: string, change: Partial<Run>): void {
    list.value = list.value.map((run) => (run.task.task_id === id ? { ...run, ...change } : run))
  }

  async function follow(id: string): Promise<void> {
    const { signal: ended } = abort
    try {
      const onProgress = (task: Task): void => update(id, { task })
      const task = await client.wait(id, { signal: ended, onProgress })
      update(id, { task })
      if (task.status === "succeeded") {
        update(id, { artifacts: await client.artifacts(id, { signal: ended }) })
      }
    } catch (error) {
      if (!ended.aborted) update(id, { error })
    }
  }

  return {
    list,
    async start(order, quote) {
      const options = { idempotencyKey: keyOf(order), quote }
      try {
        const task = await client.submit(order.model, order.parameters, options)
        last = undefined
        list.value = [{ order, task, artifacts: [] }, ...list.value]
        void follow(task.task_id)
        return undefined
      } catch (error) {
        if (isApiError(error)) return error
        throw error
      }
    },
    close: () => abort.abort(),
  }
}

/** `crypto.randomUUID` is there on secure pages only. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
