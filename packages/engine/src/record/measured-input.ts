/**
 * What was measured of the videos that a task refers to, stored next to the log: how long each is, and where the copy
 * lies that was measured. It is written with the first `dispatched` and erased with the request that it tells of.
 */
import { toCanonicalJson, type Input, type TaskStorage } from "@safelight/core"
import type { Identifiers } from "../host/identifiers.ts"

export interface MeasuredVideo {
  readonly durationMs: number
  /** Null where the request itself holds the video, and of a task whose copies an earlier release removed. */
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

/** In the order of the request; undefined where nothing was measured, or it was erased since. */
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
