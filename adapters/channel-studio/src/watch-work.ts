/**
 * Follows one job in its process, by what the process says and by the clock. How long each part may
 * take is bounded, since some malformed media keep their parsers busy for ever; a process that dies,
 * or is killed for its time, while it reads somebody's media shows that they can't be read.
 */
import type { ChildProcess } from "node:child_process"
import { isFailureCode, type Clock } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import {
  countMedia,
  toDetail,
  type RenderJob,
  type WorkerMessage,
  type WorkResult,
} from "./rendering-job.ts"

export interface WatchedWork {
  readonly child: ChildProcess
  readonly clock: Clock
  readonly job: RenderJob
  readonly report: (progress: number) => void
}

type Phase = "starting" | "reading" | "painting"

/** Never rejects. Where the process has ended it has done so before this resolves. */
export function watchWork({ child, clock, job, report }: WatchedWork): Promise<WorkResult> {
  return new Promise((resolve) => {
    const deadline = createDeadline(clock, onLate)
    let phase: Phase = "starting"
    let isLate = false
    // Each may be opened twice; a process that says more than that is not ours any more.
    let readingsLeft = countMedia(job) * 2
    deadline.set(DEFAULTS.startMs)
    child.on("message", onMessage).on("error", onError).on("exit", onExit)

    function finish(result: WorkResult): void {
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
      if (child.pid === undefined) finish({ kind: "broken", detail: toDetail(error) })
    }

    function onExit(code: number | null, signal: string | null): void {
      const how = isLate ? "was killed for its time" : `ended with ${signal ?? code}`
      finish(toEnd(phase, isLate, `the process ${how} while ${phase}`))
    }
  })
}

function toEnd(phase: Phase, isLate: boolean, detail: string): WorkResult {
  if (phase === "reading") return { kind: "refused", code: "media_unreadable", detail }
  if (phase === "painting" && isLate) return { kind: "refused", code: "generation_timeout", detail }
  return { kind: "broken", detail }
}

function toPaintMs(job: RenderJob): number {
  const durationS = job.kind === "video" ? (job.parameters.duration ?? DEFAULTS.filmSeconds) : 0
  return DEFAULTS.paintMs + durationS * DEFAULTS.paintMsPerSecond
}

interface Deadline {
  /** The only one from now on. */
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

/** What `message` says, or undefined where our own worker would not say it. */
function parseMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== "object" || message === null) return undefined
  const { kind, ...said } = message as Readonly<Record<string, unknown>>
  switch (kind) {
    case "reading":
    case "painting":
      return { kind }
    case "progress":
      return isCount(said["progress"]) ? { kind, progress: said["progress"] } : undefined
    case "rendered":
    case "refused":
    case "broken":
      return isResult(kind, said) ? (message as WorkResult) : undefined
    default:
      return undefined
  }
}

function isResult(kind: WorkResult["kind"], said: Readonly<Record<string, unknown>>): boolean {
  const { durationMs, inputVideosMs, code, detail } = said
  if (kind === "broken") return typeof detail === "string"
  if (kind === "refused") return typeof code === "string" && isFailureCode(code)
  const isMeasured = durationMs === undefined || isCount(durationMs)
  return isMeasured && (inputVideosMs === undefined || isCounts(inputVideosMs))
}

function isCounts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isCount)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
