/**
 * Follows one job in its process, by the messages of the process. How long each part may take is bounded, since some
 * malformed media keep their parsers busy for ever. If a process dies, or is killed for its time, while it reads
 * media, they can't be read. If it dies before that, while it loads what it needs, the job is not the cause.
 */
import type { Worker } from "@safelight/host"
import { DEFAULTS } from "./defaults.ts"
import { parseMessage } from "./parse-message.ts"
import { countMedia, type RenderJob, type WorkEnd } from "./rendering-job.ts"

export interface FollowedWork {
  readonly worker: Worker
  readonly job: RenderJob
  /** 1 to 99, rising. */
  readonly report: (progress: number) => void
}

type Phase = "starting" | "reading" | "painting"

/** Never rejects. If the process ends, this resolves after it has. */
export async function followWork({ worker, job, report }: FollowedWork): Promise<WorkEnd> {
  let phase: Phase = "starting"
  // Each may be opened twice. Only a process that was taken over would report it more often.
  let readingsLeft = countMedia(job) * 2
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const message = await worker.receive()
    if (message === undefined) return toEnd(phase, worker)
    const known = parseMessage(message)
    if (known === undefined) continue
    switch (known.kind) {
      case "progress":
        report(known.progress)
        break
      case "reading":
      case "painting":
        if (phase === "painting" || (known.kind === "reading" && (readingsLeft -= 1) < 0)) break
        phase = known.kind
        worker.allow(phase === "reading" ? DEFAULTS.readMs : toPaintMs(job))
        break
      case "broken":
      case "refused":
      case "rendered":
      case "unavailable":
        return known
    }
  }
}

async function toEnd(phase: Phase, worker: Worker): Promise<WorkEnd> {
  const { how, isLate } = await worker.end()
  const detail = `the process ${how} while ${phase}`
  if (phase === "starting") return { kind: "not-started", detail }
  if (phase === "reading") return { kind: "refused", code: "media_unreadable", detail }
  if (isLate) return { kind: "refused", code: "generation_timeout", detail }
  return { kind: "broken", detail }
}

function toPaintMs(job: RenderJob): number {
  const durationS = job.kind === "video" ? job.parameters.duration : 0
  return DEFAULTS.paintMs + durationS * DEFAULTS.paintMsPerSecond
}
