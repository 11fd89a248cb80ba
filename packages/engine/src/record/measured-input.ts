/**
 * The measurements of the videos that a task refers to: how long each is, and where the measured copy is stored. It
 * is kept outside the log, written with the first `dispatched` and erased with the request.
 */
import { toCanonicalJson, type Input, type TaskStorage } from "@safelight/core"
import type { Identifiers } from "../host/identifiers.ts"

export interface MeasuredVideo {
  readonly durationMs: number
  /** Null if the request itself holds the video, or an earlier release removed the task's copies. */
  readonly copy: VideoCopy | null
}

/** A video in artifact storage, exactly as it was measured. */
export interface VideoCopy {
  readonly bytes: number
  readonly locator: string
  readonly mimeType: string
}

const MEASURED_INPUT = "measured"

interface Body {
  readonly copies?: readonly (VideoCopy | null)[]
  readonly videosMs: readonly number[]
}

/** In the order of the request; undefined if nothing was measured, or the measurements were erased. */
export async function readMeasured(
  storage: Pick<TaskStorage, "readInput">,
  task: string,
): Promise<readonly MeasuredVideo[] | undefined> {
  const input = await storage.readInput({ task, name: MEASURED_INPUT })
  if (input === undefined) return undefined
  const { copies, videosMs } = JSON.parse(input.body) as Body
  return videosMs.map((durationMs, index) => ({ durationMs, copy: copies?.[index] ?? null }))
}

export function toMeasuredInput(
  identifiers: Identifiers,
  task: string,
  videos: readonly MeasuredVideo[],
): Input {
  const body = toCanonicalJson({
    copies: videos.map(({ copy }) => copy && { ...copy }),
    videosMs: videos.map(({ durationMs }) => durationMs),
  })
  return { task, name: MEASURED_INPUT, salt: identifiers.createSalt(), body }
}
