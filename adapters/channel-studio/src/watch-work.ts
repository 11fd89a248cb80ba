/**
 * Follows one job in its process, by what the process says and by the clock. How long each part may
 * take is bounded, since some malformed media keep their parsers busy for ever. If a process dies, or is
 * killed for its time, while it reads media, they can't be read. If it dies before it has begun, that
 * says nothing of the job: it may have been killed while it was idle.
 */
import type { ChildProcess } from "node:child_process"
import type { Clock } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import { parseMessage } from "./parse-message.ts"
import { countMedia, toDetail, type RenderJob, type WorkEnd } from "./rendering-job.ts"

export interface WatchedWork {
  readonly child: ChildProcess
  readonly clock: Clock
  readonly job: RenderJob
  readonly report: (progress: number) => void
}

type Phase = "starting" | "reading" | "painting"

/** Never rejects. If the process ends, this resolves after it has. */
export function watchWork({ child, clock, job, report }: WatchedWork): Promise<WorkEnd> {
  return new Promise((resolve) => {
    const deadline = createDeadline(clock, onLate)
    let phase: Phase = "starting"
    let isLate = false
    // Each may be opened twice. Only a process that was taken over would say it more often.
    let readingsLeft = countMedia(job) * 2
    deadline.set(DEFAULTS.startMs)
    child.on("message", onMessage).on("error", onError).on("exit", onExit)

    function finish(result: WorkEnd): void {
      deadline.clear()
      child.off("message", onMessage).off("error", onError).off("exit", onExit)
      resolve(result)
    }

    function onMessage(message: unknown): void {
      const known = parseMessage(message)
      if (known === undefined || isLate) return
      if (known.kind === "progress") report(known.progress)
      else if (known.kind === "reading" || known.kind === "painting") onPhase(known.kind)
      else finish(known)
    }

    function onPhase(next: "reading" | "painting"): void {
      if (phase === "painting") return
      if (next === "reading" && (readingsLeft -= 1) < 0) return
      phase = next
      deadline.set(next === "reading" ? DEFAULTS.readMs : toPaintMs(job))
    }

    function onLate(): void {
      isLate = true
      child.kill("SIGKILL")
    }

    function onError(error: unknown): void {
      // It could not be started: no exit follows.
      if (child.pid === undefined) finish({ kind: "not-started", detail: toDetail(error) })
    }

    function onExit(code: number | null, signal: string | null): void {
      const how = isLate ? "was killed for its time" : `ended with ${signal ?? code}`
      finish(toEnd(phase, isLate, `the process ${how} while ${phase}`))
    }
  })
}

function toEnd(phase: Phase, isLate: boolean, detail: string): WorkEnd {
  if (phase === "starting") return { kind: "not-started", detail }
  if (phase === "reading") return { kind: "refused", code: "media_unreadable", detail }
  if (isLate) return { kind: "refused", code: "generation_timeout", detail }
  return { kind: "broken", detail }
}

function toPaintMs(job: RenderJob): number {
  const durationS = job.kind === "video" ? job.parameters.duration : 0
  return DEFAULTS.paintMs + durationS * DEFAULTS.paintMsPerSecond
}

interface Deadline {
  /** Replaces the one before. */
  set(durationMs: number): void
  clear(): void
}

function createDeadline(clock: Clock, onTime: () => void): Deadline {
  let current = new AbortController()

  async function waitFor(durationMs: number, signal: AbortSignal): Promise<void> {
    await clock.wait(durationMs, signal)
    if (!signal.aborted) onTime()
  }

  return {
    set(durationMs) {
      current.abort()
      const { signal } = (current = new AbortController())
      void waitFor(durationMs, signal)
    },
    clear: () => current.abort(),
  }
}
