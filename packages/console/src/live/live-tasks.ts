/**
 * One stream for the whole page: what happens to the account's tasks, gathered and applied once a frame. Without the
 * gathering a busy account would redraw a table hundreds of times a second.
 *
 *     open ──▶ messages ──▶ failed ──▶ a pause ──▶ open behind the last message
 *                  ├─ hidden: closed until the page is shown again, since a browser has six connections to a host
 *                  └─ reset: messages may be missing, so listeners load again
 */
import { isApiError, type Client, type Task } from "@safelight/client"

export interface TaskChange {
  /** `task.succeeded`, … */
  readonly type: string
  readonly task: Task
}

export interface LiveListener {
  /** In the order of their happening; a task may occur several times. */
  readonly onChanges: (changes: readonly TaskChange[]) => void
  /** Something may have been missed: load again. */
  readonly onReset: () => void
}

const PAUSE_MS = 2_000

const listeners = new Set<LiveListener>()

/** Ends with the function that it returns. */
export function listen(listener: LiveListener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Follows the client's stream and tells every listener, until the signal is aborted. */
export async function followTasks(client: Client, signal: AbortSignal): Promise<void> {
  let after: string | undefined
  const gathered: TaskChange[] = []
  const flush = (): void => {
    const changes = gathered.splice(0)
    for (const listener of listeners) listener.onChanges(changes)
  }
  while (!signal.aborted) {
    await shown(signal)
    const opened = untilHidden(signal)
    try {
      for await (const message of client.stream({ after, signal: opened })) {
        after = message.id
        if ("data" in message) {
          if (gathered.push({ type: message.type, task: message.data }) === 1) nextFrame(flush)
        } else for (const { onReset } of listeners) onReset()
      }
    } catch (error) {
      if (opened.aborted) continue
      // A key that may not read tasks has no stream; a refused key has ended the session by now.
      if (!isApiError(error) || error.status === 401 || error.status === 403) throw error
    }
    await pause(signal)
  }
}

/** A page in the background has no frames: what it gathers is applied by the clock. */
function nextFrame(work: () => void): void {
  if (document.visibilityState === "visible") requestAnimationFrame(work)
  else setTimeout(work, 500)
}

/** Aborted with `signal`, and when the page is hidden. */
function untilHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController()
  const look = (): void => {
    if (document.visibilityState === "hidden") hidden.abort()
  }
  document.addEventListener("visibilitychange", look, { signal: hidden.signal })
  signal.addEventListener("abort", () => hidden.abort(), { signal: hidden.signal })
  return hidden.signal
}

/** Resolves when the page is shown, or `signal` aborted. */
async function shown(signal: AbortSignal): Promise<void> {
  while (document.visibilityState === "hidden" && !signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- one change after the other
    await new Promise<void>((resolve) => {
      document.addEventListener("visibilitychange", () => resolve(), { once: true })
      signal.addEventListener("abort", () => resolve(), { once: true })
    })
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, PAUSE_MS)
    signal.addEventListener("abort", done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
  })
}
