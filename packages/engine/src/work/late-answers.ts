/**
 * Answers to purchases that come past their call's time-out. Their tasks are in doubt by then and perhaps
 * with another process, and an answer is a fact all the same: it is recorded as long as the engine lives, and
 * a stop waits for it as it waits for running work. One that comes later still is only named in the log.
 */
import type { Clock, Json, Log, SubmitOutcome } from "@safelight/core"
import type { Work } from "./work.ts"

export interface LateAnswers {
  /** Has `record` write the answer down once it comes. */
  await(work: Work, answer: Promise<SubmitOutcome>, record: RecordAnswer): void
  /** Waits up to `graceMs` for answers, then for the records under way; writes down no more from then on. */
  stop(graceMs: number): Promise<void>
}

type RecordAnswer = (outcome: SubmitOutcome) => Promise<unknown>

export function createLateAnswers({
  clock,
  log,
}: {
  readonly clock: Clock
  readonly log: Log
}): LateAnswers {
  const waiting = new Map<Work, Promise<void>>()
  const recording = new Set<Promise<unknown>>()
  let isStopped = false

  async function recordOnce(
    work: Work,
    answer: Promise<SubmitOutcome>,
    record: RecordAnswer,
  ): Promise<void> {
    try {
      const outcome = await answer
      if (isStopped) return report(work, outcome)
      const recorded = record(outcome)
      recording.add(recorded)
      await recorded.finally(() => recording.delete(recorded))
    } catch (error) {
      log.warn({ task: work.id, error }, "late answer not recorded")
    }
  }

  function report({ head, id: task }: Work, outcome: SubmitOutcome): void {
    const { channel, upstreamKey } = head.task.dispatch ?? {}
    const operation: Json = ("operation" in outcome && outcome.operation) || null
    log.error({ task, channel, upstreamKey, operation, outcome: outcome.kind }, "late answer lost")
  }

  return {
    await(work, answer, record) {
      const done = recordOnce(work, answer, record).finally(() => waiting.delete(work))
      waiting.set(work, done)
    },
    async stop(graceMs) {
      const inTime = new AbortController()
      const all = Promise.all(waiting.values())
      await Promise.race([all, clock.wait(graceMs, inTime.signal)])
      inTime.abort("over")
      isStopped = true
      for (const { ending } of waiting.keys()) ending.abort()
      await Promise.allSettled(recording)
    },
  }
}
