/** What happens to tasks, in memory: a test adds changes, and says when reading fails. */
import {
  emptyTask,
  MOST_CHANGES,
  SafelightError,
  toHashDigits,
  type ChangePosition,
  type ChangeService,
  type PositionedChange,
  type Task,
  type WatchRequest,
} from "@safelight/core"
import { ACCOUNT } from "./fake-storage.ts"

export const FEED = "0c1e0a8e-7e0e-4c66-9d1c-2f7d3f3d7f10"

/** Of the change that was added as the first, the second… */
export function toFakeHash(position: number): string {
  return position.toString(16).padStart(8, "0").padEnd(64, "f")
}

export function toFakePosition(position: number): ChangePosition {
  return { feed: FEED, position, digits: toHashDigits(toFakeHash(position)) }
}

/** `failIfAsked` throws while the service fails. */
export function createFakeChanges(tasks: Map<string, Task>, failIfAsked: () => void = () => {}) {
  const changes: PositionedChange[] = []
  const watches = new Set<WatchRequest>()
  let isAway = false
  let reads = 0

  const service: ChangeService = {
    async listChanges({ account, id, after }) {
      failIfAway()
      if (account !== ACCOUNT) return undefined
      const all = changes.filter(({ task }) => task.id === id)
      const hash = after.version === 0 ? toFakeHash(0) : all[after.version - 1]?.hash
      if (toHashDigits(hash ?? "") !== after.digits) return { kind: "lost" }
      const found = all.slice(after.version, after.version + MOST_CHANGES)
      return { kind: "changes", changes: found }
    },
    async findTaskAt({ id, version }) {
      failIfAway()
      return changes.find((change) => change.task.id === id && change.version === version)
    },
    async watchChanges(request) {
      failIfAsked()
      watches.add(request)
      const end = (): void => void watches.delete(request)
      return { position: toFakePosition(changes.length), end }
    },
    async readChanges({ after }) {
      failIfAway()
      const isThere = after.feed === FEED && after.position <= changes.length
      if (!isThere || after.digits !== toFakePosition(after.position).digits) {
        return { kind: "lost", position: toFakePosition(changes.length) }
      }
      // Ten at a time, so that a test has pages.
      const page = changes.slice(after.position, after.position + 10)
      const next = toFakePosition(after.position + page.length)
      return { kind: "changes", changes: page, next }
    },
  }

  function failIfAway(): void {
    reads += 1
    if (!isAway) return
    throw new SafelightError({ code: "storage-unavailable", message: "away", retryable: true })
  }

  return {
    service,
    watches,
    reads: () => reads,
    setAway: (away: boolean) => void (isAway = away),
    endAll: () => [...watches].forEach(({ onEnd }) => onEnd()),
    /** Adds a change of a task and tells whoever watches; gives its position. */
    add(id: string, type: string, parts: Partial<Task> = {}): number {
      const version = changes.filter(({ task }) => task.id === id).length + 1
      const task = { ...emptyTask(id), account: ACCOUNT, model: "model-a", ...parts, version }
      tasks.set(id, task)
      const position = toFakePosition(changes.length + 1)
      const hash = toFakeHash(position.position)
      changes.push({ task, hash, version, type, at: 1_000 * position.position, position })
      for (const { onNews, task: only } of watches) if (only === undefined || only === id) onNews()
      return position.position
    },
  }
}
