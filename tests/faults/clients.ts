/**
 * The round's client: several callers that submit through every node that is up, each under an
 * idempotency key that it sends again until a 202 comes, and then watch their task for a while.
 * What a service may never answer is noted as a broken promise, whichever fault is under way.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Activity } from "./activity.ts"
import type { ToldCancellation } from "./judge-cancellations.ts"
import type { Ledger } from "./ledger.ts"
import { MODEL } from "./node-orders.ts"
import type { Random } from "./random.ts"

export interface Target {
  readonly url: string
  readonly key: string
}

export interface Clients {
  /** Lets requests be made without a bound, until `calm`. */
  rush(): void
  /** Resolves when this many more requests have their 202. */
  more(count: number): Promise<void>
  /** Begins no new request; resolves when those under way have their 202 or are given up. */
  calm(): Promise<void>
  /** Gives up whatever is under way. */
  stop(): Promise<void>
  /** How often each status was answered; `none` where nothing was. */
  readonly answers: ReadonlyMap<string, number>
  /** What was answered and must never be. */
  readonly broken: readonly string[]
  /** What was told of each cancellation that was answered. */
  readonly cancellations: readonly ToldCancellation[]
  /** Tasks that had their 202 and were not found afterwards. */
  readonly missing: ReadonlySet<string>
}

export interface ClientsOptions {
  readonly ledger: Ledger
  readonly activity: Activity
  readonly random: Random
  /** Nodes that are up as far as is known. */
  readonly targets: () => readonly Target[]
  readonly callers: number
}

/** A node that was stopped answers nobody: the caller goes elsewhere with the same key. */
const CALL_MS = 3_000

/** How often a caller looks at its task before it leaves it to its fate, and how long between. */
const LOOKS = 8
const LOOK_MS = 40

/** So many requests, and one of them is cancelled. */
const CANCELLED_EACH = 3
/** By this look it is, if its task has not ended by then. */
const LAST_CANCELLED_LOOK = 3

/** Not now: unavailable, or the same key is being accepted by an earlier call. */
const IS_PASSING: ReadonlySet<number> = new Set([409, 503])

interface Answer {
  readonly status: number
  readonly body: {
    readonly task_id?: string
    readonly status?: string
    readonly outcome?: string
    readonly task?: { readonly status?: string }
  }
}

/** A POST; without a request it has no body. */
interface Sent {
  readonly request?: number
}

export function createClients(options: ClientsOptions): Clients {
  const { ledger, activity, random } = options
  const answers = new Map<string, number>()
  const broken: string[] = []
  const cancellations: ToldCancellation[] = []
  const missing = new Set<string>()
  const stopping = new AbortController()
  const waiting = { allowed: 0, made: 0, settled: 0 }

  async function call(path: string, sent?: Sent): Promise<Answer | null> {
    const targets = options.targets()
    const target = targets[random.integer(0, Math.max(0, targets.length - 1))]
    if (target === undefined) {
      await activity.until(() => options.targets().length > 0 || stopping.signal.aborted)
      return null
    }
    const answer = await ask(target, path, sent, stopping.signal)
    const name = answer === null ? "none" : `${answer.status}`
    answers.set(name, (answers.get(name) ?? 0) + 1)
    activity.note()
    return answer
  }

  async function submit(request: number): Promise<string | undefined> {
    await ledger.asked(request)
    while (!stopping.signal.aborted) {
      const answer = await call("/v1/tasks", { request })
      const task = answer?.body.task_id
      if (answer?.status === 202 && task !== undefined) {
        await ledger.accepted(request, task)
        activity.note()
        return task
      }
      if (answer !== null && !IS_PASSING.has(answer.status)) {
        broken.push(`request ${request} was answered ${answer.status}`)
        return undefined
      }
      await pause(LOOK_MS)
    }
    return undefined
  }

  /** Some tasks are cancelled at once, some while they run, and some once they have ended. */
  async function cancel(task: string): Promise<void> {
    const answer = await call(`/v1/tasks/${task}/cancel`, {})
    const { outcome, task: shown } = answer?.body ?? {}
    if (answer?.status === 200 && outcome !== undefined && shown !== undefined) {
      cancellations.push({ task, outcome, status: shown.status ?? "", at: Date.now() })
    } else if (answer !== null && ![404, 503].includes(answer.status)) {
      broken.push(`the cancellation of ${task} was answered ${answer.status}`)
    }
  }

  /** From the 202 on every node knows the task. */
  async function hasEnded(task: string): Promise<boolean> {
    const answer = await call(`/v1/tasks/${task}`)
    const status = answer?.status ?? 503
    if (status === 404) missing.add(task)
    else if (status !== 200 && status !== 503) broken.push(`task ${task} was answered ${status}`)
    const state = answer?.body.status
    return status === 404 || state === "succeeded" || state === "failed"
  }

  async function watch(task: string, cancelledAt: number): Promise<void> {
    for (let look = 0; look < LOOKS && !stopping.signal.aborted; look += 1) {
      if (look === cancelledAt) await cancel(task)
      if (await hasEnded(task)) return
      await pause(LOOK_MS)
    }
  }

  async function work(): Promise<void> {
    for (;;) {
      await activity.until(() => waiting.made < waiting.allowed || stopping.signal.aborted)
      if (stopping.signal.aborted) return
      if (waiting.made >= waiting.allowed) continue
      waiting.made += 1
      const request = waiting.made
      const task = await submit(request)
      // Some callers never saw the 202: under the key they get the same task again.
      if (task !== undefined && request % 8 === 0) await submit(request)
      waiting.settled += 1
      activity.note()
      const isCancelled = request % CANCELLED_EACH === 0
      const cancelledAt = isCancelled ? random.integer(0, LAST_CANCELLED_LOOK) : LOOKS
      if (task !== undefined) await watch(task, cancelledAt)
    }
  }

  const callers = Array.from({ length: options.callers }, work)
  const ended = Promise.allSettled(callers)
  return {
    answers,
    broken,
    cancellations,
    missing,
    rush() {
      waiting.allowed = Infinity
      activity.note()
    },
    more(count) {
      const goal = ledger.acceptedCount() + count
      return activity.until(() => ledger.acceptedCount() >= goal)
    },
    async calm() {
      waiting.allowed = waiting.made
      await activity.until(() => waiting.settled >= waiting.made)
    },
    async stop() {
      stopping.abort()
      activity.note()
      for (const { status, reason } of await ended.then((all) => all.map(toFailure))) {
        if (status === "rejected") broken.push(`a caller failed: ${String(reason)}`)
      }
    },
  }
}

function toFailure(settled: PromiseSettledResult<void>): { status: string; reason?: unknown } {
  return settled
}

/** The answer; null where none came, which tells nothing. */
async function ask(
  { url, key }: Target,
  path: string,
  sent: Sent | undefined,
  stopped: AbortSignal,
): Promise<Answer | null> {
  const request = sent?.request
  const body = request === undefined ? {} : toSubmission(request)
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(CALL_MS)])
  try {
    const response = await fetch(`${url}${path}`, {
      signal,
      method: sent === undefined ? "GET" : "POST",
      ...body,
      headers: { authorization: `Bearer ${key}`, ...body.headers },
    })
    return { status: response.status, body: (await response.json()) as Answer["body"] }
  } catch {
    // Killed, stopped, cut: the caller can't tell, and so nothing is concluded.
    return null
  }
}

function toSubmission(request: number): Pick<RequestInit, "body"> & {
  readonly headers?: Readonly<Record<string, string>>
} {
  const parameters = { prompt: toPrompt(request), size: "square" }
  return {
    headers: { "content-type": "application/json", "idempotency-key": `request-${request}` },
    body: JSON.stringify({ model: MODEL, parameters }),
  }
}

const PROMPT = "the picture of request "

/** By its prompt a stored task is known to be of this request. */
export function toPrompt(request: number): string {
  return `${PROMPT}${request}`
}

/** The request whose prompt this is; undefined for any other. */
export function fromPrompt(prompt: string): number | undefined {
  return prompt.startsWith(PROMPT) ? Number(prompt.slice(PROMPT.length)) : undefined
}
