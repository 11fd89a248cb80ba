/**
 * Jobs that take time. Nothing runs: a job's state is computed from the clock when it is asked for, so that ten
 * thousand jobs cost nothing but their records.
 *
 *   queued ──queueMs──▶ running ──runMs──▶ finished
 *      └───────cancel──────┴──▶ cancelled
 */
import type { Clock } from "@safelight/core"
import type { StubCall } from "./stub-call.ts"
import type { StubReply } from "./stub-route.ts"

export type JobPhase = "queued" | "running" | "finished" | "cancelled"

export interface StubJob<Data> {
  readonly id: string
  readonly createdAt: number
  readonly data: Data
  startAt: number
  endAt: number
  cancelledAt: number | null
  /** Aborts when the job ends early. */
  readonly over: AbortSignal
}

export interface StubJobs<Data> {
  /** A handler for the job whose `id` is in the call's path; any other job is refused. */
  handle(
    show: (job: StubJob<Data>, call: StubCall) => StubReply,
    isKnown?: (job: StubJob<Data>, call: StubCall) => boolean,
  ): (call: StubCall) => StubReply
  /** Newest last. */
  readonly all: ReadonlyMap<string, StubJob<Data>>
  open(id: string, data: Data): StubJob<Data>
  phaseOf(job: StubJob<Data>): JobPhase
  /** Milliseconds since it finished or was cancelled; negative before that. */
  ageMs(job: StubJob<Data>): number
  /** False if it had ended already. */
  cancel(job: StubJob<Data>): boolean
  /** Finishes the job now, whatever its state. */
  finish(job: StubJob<Data>): void
  remove(job: StubJob<Data>): void
}

export interface StubJobsOptions {
  readonly clock: Clock
  readonly queueMs: number
  readonly runMs: number
  readonly refuse: (reason: "not-found") => StubReply
}

export function createJobs<Data>({
  clock,
  queueMs,
  refuse,
  runMs,
}: StubJobsOptions): StubJobs<Data> {
  const all = new Map<string, StubJob<Data>>()
  const overs = new Map<string, AbortController>()

  function phaseOf(job: StubJob<Data>): JobPhase {
    const now = clock.now()
    if (job.cancelledAt !== null) return "cancelled"
    if (now >= job.endAt) return "finished"
    return now >= job.startAt ? "running" : "queued"
  }

  return {
    all,
    phaseOf,
    handle(show, isKnown = () => true) {
      return (call) => {
        const job = all.get(call.params["id"] ?? "")
        return job !== undefined && isKnown(job, call) ? show(job, call) : refuse("not-found")
      }
    },
    open(id, data) {
      const createdAt = clock.now()
      const startAt = createdAt + queueMs
      const endAt = startAt + runMs
      const over = new AbortController()
      const times = { createdAt, startAt, endAt, cancelledAt: null }
      const job: StubJob<Data> = { id, data, ...times, over: over.signal }
      all.set(id, job)
      overs.set(id, over)
      return job
    },
    ageMs: (job) => clock.now() - (job.cancelledAt ?? job.endAt),
    cancel(job) {
      const phase = phaseOf(job)
      if (phase !== "queued" && phase !== "running") return false
      job.cancelledAt = clock.now()
      overs.get(job.id)?.abort()
      return true
    },
    finish(job) {
      job.startAt = Math.min(job.startAt, clock.now())
      job.endAt = Math.min(job.endAt, clock.now())
      overs.get(job.id)?.abort()
    },
    remove(job) {
      all.delete(job.id)
      overs.delete(job.id)
    },
  }
}
