/**
 * The entry of an imported task in the queue. A task that was never dispatched is a new task, with a start
 * tag among those of all accounts. One that was dispatched is due at once, by the rules that hold after a
 * crash: the process that called is gone. A finished task that brings inputs is looked at at once, since
 * only the engine knows how long they may be kept.
 */
import {
  isTerminal,
  lastExpiryAt,
  nextStartTag,
  type QueueChange,
  type Task,
} from "@safelight/core"

/** When retention looks again at a finished task: its bytes are removed about a day later. */
const LOOK_AGAIN_MS = 86_400_000

export interface StartTags {
  setWeight(account: string, weight: number): void
  /** The next start tag of an account. */
  next(account: string): number
}

/**
 * Start tags of imported tasks, which come in the order in which they were submitted. Those of an account
 * are spaced by its weight, so that no account's backlog comes before another's first task.
 */
export function createStartTags(): StartTags {
  const weights = new Map<string, number>()
  const tags = new Map<string, number>()
  return {
    setWeight: (account, weight) => void weights.set(account, weight),
    next(account) {
      const tag = nextStartTag(tags.get(account), weights.get(account) ?? 1)
      tags.set(account, tag)
      return tag
    },
  }
}

interface Imported {
  readonly task: Task
  readonly hasInputs: boolean
  readonly now: number
}

export function toImportedPlace(imported: Imported, tags: StartTags): QueueChange {
  const { task, now } = imported
  if (isTerminal(task)) return { kind: "finish", retainAt: toRetainAt(imported) }
  const { account, createdAt, deferral, endBy, state } = task
  const place = { kind: "enqueue", endBy, lease: null } as const
  if (state !== "queued") return { ...place, dueAt: now, startTag: null }
  if (deferral !== null) return { ...place, dueAt: deferral.retryAt, startTag: null }
  return { ...place, dueAt: createdAt, startTag: tags.next(account) }
}

function toRetainAt({ task, hasInputs, now }: Imported): number | null {
  if (hasInputs) return now
  const expiryAt = lastExpiryAt(task)
  if (task.state === "succeeded.available") return expiryAt
  const lookAt = Math.max(task.finishedAt, expiryAt) + LOOK_AGAIN_MS
  return lookAt > now ? lookAt : null
}
