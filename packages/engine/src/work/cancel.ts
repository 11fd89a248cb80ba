/**
 * Cancelling for an account. Any process with the task's channel may ask it to stop, whichever process follows the
 * work: an operation is plain JSON, and the version of the task decides between the answer and a result that
 * comes at the same moment. One cancellation of a task runs at a time here, so that a caller who repeats it
 * asks the provider no more often.
 */
import {
  isSafelightError,
  type Cancellation,
  type Channel,
  type StreamHead,
  type TaskRequest,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { toAttemptCost } from "../record/attempt-cost.ts"
import { cancel, type Stopping } from "../record/cancel-task.ts"
import { toUnheld } from "./overdue.ts"
import { recordFact } from "./record-fact.ts"
import { toFindRequest } from "./request.ts"
import { stopWork } from "./stop-work.ts"
import type { Work } from "./work.ts"

/** The dispatcher, as far as cancelling needs it. */
export interface CancelParts {
  readonly isCollecting: (task: string) => boolean
  /** Has the process that holds the task poll it soon. */
  readonly wakeHolder: (task: string) => void
  /** Has the queue looked at soon. */
  readonly wake: () => void
}

export interface Cancelling {
  /** Undefined if the account has no such task. Rejects where the storage fails. */
  cancel(request: TaskRequest): Promise<Cancellation | undefined>
  /** Ends the waiting of cancellations under way; resolves when they are done. */
  stop(): Promise<void>
}

/** How long the answer to a call is waited for: most come within a second, and a person waits for this. */
const NEWS_MS = 8_000
/** The first look for news comes so soon, and each further pause is twice as long. */
const LOOK_MS = 125
/** A channel that is asked for a lost purchase. */
const FIND_MS = 5_000

export function createCancelling(context: Context, parts: CancelParts): Cancelling {
  const { storage } = context
  const underWay = new Map<string, Promise<Cancellation | undefined>>()
  const ending = new AbortController()

  async function cancelOnce(id: string): Promise<Cancellation | undefined> {
    try {
      return await cancel(context, id, createStopping(context, parts, ending))
    } finally {
      underWay.delete(id)
    }
  }

  return {
    async cancel({ account, id }) {
      if ((await storage.readTask(id))?.task.account !== account) return undefined
      const running = underWay.get(id) ?? cancelOnce(id)
      underWay.set(id, running)
      return running
    },
    async stop() {
      ending.abort()
      await Promise.allSettled(underWay.values())
    },
  }
}

function createStopping(
  context: Context,
  { isCollecting, wake, wakeHolder }: CancelParts,
  ending: AbortController,
): Stopping {
  const { channels, clock, log } = context
  const until = clock.monotonicNow() + NEWS_MS
  let pauseMs = LOOK_MS
  const toWork = (head: StreamHead): Work => ({ ...toUnheld(context, head), ending })
  const findChannel = ({ task }: StreamHead): Channel | undefined =>
    channels.find(({ name }) => name === task.dispatch?.channel)

  /** Whether the channel has the purchase after all; it is then followed as any other. */
  async function adopt(head: StreamHead, channel: Channel): Promise<boolean> {
    const work = toWork(head)
    const operation = await findOperation(context, work, channel)
    if (operation === undefined) return false
    const upstreamKey = head.task.dispatch?.upstreamKey ?? ""
    const command = { kind: "accept", operation, upstreamKey } as const
    await recordFact(context, work, [command], { maxTries: 1 })
    wake()
    return true
  }

  return {
    isCollecting,
    async stop(head) {
      const channel = findChannel(head)
      const outcome = channel && (await stopWork(context, toWork(head), channel))
      // A result may be ready, or the end that the provider makes of it.
      if (outcome !== "stopped") wakeHolder(head.task.id)
      return outcome ?? "unknown"
    },
    toCost: (head) => toAttemptCost(context, { head }, undefined),
    async awaitNews(head) {
      const channel = findChannel(head)
      if (head.task.state === "doubtful") {
        const canBeFound = channel?.find !== undefined && channel.submission.kind !== "unkeyed"
        if (canBeFound && (await adopt(head, channel))) return true
        // Only a callback can bring news of it.
        if (!canBeFound && channel?.submission.kind !== "keyed") return false
      }
      if (ending.signal.aborted || clock.monotonicNow() + pauseMs > until) return false
      await clock.wait(pauseMs, ending.signal)
      pauseMs *= 2
      return true
    },
    report({ task: { dispatch, id } }) {
      const { channel, upstreamKey } = dispatch ?? {}
      log.error({ task: id, channel, upstreamKey }, "purchase abandoned")
    },
  }
}

/** Undefined where the channel does not know the key, or can't be asked. */
async function findOperation(
  context: Context,
  work: Work,
  channel: Channel,
): ReturnType<typeof ask> {
  try {
    return await ask(context, work, channel)
  } catch (error) {
    if (!isSafelightError(error)) throw error
    context.log.warn({ task: work.id, channel: channel.name, error }, "lookup failed")
    return undefined
  }
}

async function ask(context: Context, work: Work, channel: Channel) {
  const request = toFindRequest(context, work, work.head.task.dispatch?.upstreamKey ?? "")
  const found = await context.deadlines.run(FIND_MS, work.ending.signal, async (signal) =>
    channel.find?.({ ...request, signal }),
  )
  return found?.operation
}
