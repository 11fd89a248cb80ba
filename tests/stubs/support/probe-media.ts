/** What ffprobe says of bytes: the judge of media is no code of ours. */
import { spawnSync } from "node:child_process"

export interface ProbedMedia {
  readonly codec: string
  readonly width: number
  readonly height: number
  readonly frames: number
  /** Of the container; NaN for a picture. */
  readonly durationMs: number
}

export const lacksProbe = spawnSync("ffprobe", ["-version"]).status !== 0
/** For tests that need it: a reason to skip, never in CI. */
export const skipWithoutProbe =
  lacksProbe && process.env["CI"] === undefined ? "ffprobe is not installed" : false

export function probeMedia(bytes: Uint8Array): ProbedMedia {
  const words = [
    "-v",
    "error",
    "-count_frames",
    "-show_streams",
    "-show_format",
    "-of",
    "json",
    "-",
  ]
  const { stdout, stderr, status } = spawnSync("ffprobe", words, { input: bytes })
  if (status !== 0 || stderr.length > 0) throw new Error(`unreadable: ${stderr.toString()}`)
  const { streams, format } = JSON.parse(stdout.toString()) as {
    readonly streams: readonly Readonly<Record<string, string>>[]
    readonly format: Readonly<Record<string, string>>
  }
  const [stream = {}] = streams
  return {
    codec: stream["codec_name"] ?? "",
    width: Number(stream["width"]),
    height: Number(stream["height"]),
    frames: Number(stream["nb_read_frames"]),
    durationMs: Math.round(Number(format["duration"]) * 1_000),
  }
}
