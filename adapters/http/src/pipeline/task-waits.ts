/**
 * Requests that wait for the end of a task. A wait holds no more than a timer and a listener, and still one
 * key must not take all of them: above a bound the answer comes at once, as if nobody had asked for a wait.
 * What a reader would get wrong: a wait never refuses or fails a request, whatever becomes of it. Whoever may
 * no longer ask when it is over is answered with the task as it was before.
 */
import {
  isTerminal,
  type ApiKeyScope,
  type Log,
  type Task,
  type TaskService,
} from "@safelight/core"
import type { IsStillAllowed } from "../access/check-access.ts"
import type { HttpSettings } from "./defaults.ts"
import type { Exchange } from "./exchange.ts"
import { onLeft } from "./on-left.ts"
import { createRoom } from "./room.ts"

export interface TaskWaits {
  /**
   * Resolves as soon as the task is finished, `seconds` have passed, the caller has left or the waits have
   * ended. Never rejects. Bodies in flight are bounded, so that of the caller is released before.
   */
  wait(call: WaitingCall, task: Task, wish: WaitWish): Promise<Waited>
  /** All waits end now, and every later one at once. */
  end(): void
}

export type WaitingCall = Exchange & { readonly releaseBody: () => void }

export interface WaitWish {
  readonly seconds: number | undefined
  /** What the key must still have after the wait. */
  readonly scopes: readonly ApiKeyScope[]
}

export interface Waited {
  /** As it stands after the wait; as it was before if the key may not read it any more. */
  readonly task: Task
  /** Names the preference if the caller's wish was kept. */
  readonly headers: Readonly<Record<string, string>>
}

export interface TaskWaitParts {
  readonly service: Pick<TaskService, "findTask" | "finished">
  readonly settings: Pick<HttpSettings, "accountWaits" | "waits">
  readonly isStillAllowed: IsStillAllowed
  readonly log: Log
}

export function createTaskWaits(parts: TaskWaitParts): TaskWaits {
  const { log, service, settings } = parts
  const { accountWaits: mostOfAccount, waits: most } = settings
  const room = createRoom({ most, mostOfAccount })
  const ending = new AbortController()

  /** Whether it lasted as long as it was to, or until the task's end. */
  async function untilFinished(exchange: Exchange, id: string, seconds: number): Promise<boolean> {
    const over = new AbortController()
    let isKept = false
    const timer = setTimeout(() => {
      isKept = true
      over.abort("passed")
    }, seconds * 1_000)
    const end = (): void => over.abort("ended")
    ending.signal.addEventListener("abort", end)
    const stopListening = onLeft(exchange, end)
    try {
      await service.finished(id, { signal: over.signal })
      return true
    } catch (error) {
      // The task is there all the same, and the next look at it says what is wrong.
      if (!over.signal.aborted) log.warn({ task: id, error }, "wait failed")
      return isKept
    } finally {
      clearTimeout(timer)
      stopListening()
      ending.signal.removeEventListener("abort", end)
    }
  }

  return {
    async wait(call, task, { scopes, seconds }) {
      call.releaseBody()
      if (seconds === undefined) return { task, headers: {} }
      const headers = { "preference-applied": `wait=${seconds}` }
      if (isTerminal(task) || seconds === 0) return { task, headers }
      const leave = ending.signal.aborted ? "full" : room.enter(task.account)
      if (typeof leave === "string") return { task, headers: {} }
      const beganAt = performance.now()
      const isKept = await untilFinished(call, task.id, seconds)
      leave()
      call.report.waitedMs = performance.now() - beganAt
      const found = await look(parts, call, task, scopes)
      return { task: found ?? task, headers: isKept && found !== undefined ? headers : {} }
    },
    end: () => ending.abort("ended"),
  }
}

/** As it stands now; undefined if that can't be told, or not to this key. */
async function look(
  { isStillAllowed, log, service }: TaskWaitParts,
  { request }: Exchange,
  { account, id }: Task,
  scopes: WaitWish["scopes"],
): Promise<Task | undefined> {
  try {
    const found = await service.findTask({ account, id })
    const isAllowed = await isStillAllowed(request.headers.get("authorization"), scopes)
    return isAllowed ? found : undefined
  } catch (error) {
    log.warn({ task: id, error }, "wait failed")
    return undefined
  }
}
