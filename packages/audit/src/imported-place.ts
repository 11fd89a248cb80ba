/**
 * The place in the queue that an imported task takes, told from the task alone. What was never asked
 * for stands in line among the new tasks of all accounts; what was begun is taken up at once, by the
 * rules that hold after a crash: whoever called is gone.
 */
import { isTerminal, lastExpiryAt, type QueueChange, type Task } from "@safelight/core"

/** Between two starts of an account of weight 1, as where tasks are submitted. */
const TAG_STEP = 1_000

/** When retention looks again at what has ended: its bytes are removed about a day later. */
const LOOK_AGAIN_MS = 86_400_000

export interface StartTags {
  setWeight(account: string, weight: number): void
  /** The next start tag of an account. */
  next(account: string): number
}

/**
 * Start tags of imported tasks, which come in the order in which they were submitted: each account's are
 * spaced by its weight, so that none's backlog stands before another's first task.
 */
export function createStartTags(): StartTags {
  const weights = new Map<string, number>()
  const tags = new Map<string, number>()
  return {
    setWeight: (account, weight) => void weights.set(account, weight),
    next(account) {
      const step = Math.max(1, Math.round(TAG_STEP / (weights.get(account) ?? 1)))
      const tag = (tags.get(account) ?? -step) + step
      tags.set(account, tag)
      return tag
    },
  }
}

export function toImportedPlace(task: Task, now: number, tags: StartTags): QueueChange {
  if (isTerminal(task)) return { kind: "finish", retainAt: toRetainAt(task, now) }
  const { account, createdAt, deferral, endBy, state } = task
  if (state !== "queued") return { kind: "enqueue", dueAt: now, endBy, lease: null, startTag: null }
  if (deferral !== null) {
    return { kind: "enqueue", dueAt: deferral.retryAt, endBy, lease: null, startTag: null }
  }
  return { kind: "enqueue", dueAt: createdAt, endBy, lease: null, startTag: tags.next(account) }
}

function toRetainAt(task: Task, now: number): number | null {
  const expiryAt = lastExpiryAt(task)
  if (task.state === "succeeded.available") return expiryAt
  const lookAt = Math.max(task.finishedAt, expiryAt) + LOOK_AGAIN_MS
  return lookAt > now ? lookAt : null
}
