/**
 * How a task of another Safelight ended: what it made, what it cost, or why it failed. An output is fetched
 * by a path of its API and never by `content_url`, so that the key is sent to the base alone.
 */
import {
  isFailureCode,
  type Completed,
  type Json,
  type LinkedOutput,
  type PollOutcome,
} from "@safelight/core"
import type { Send } from "../provider.ts"
import { at, listAt, textAt, toRefused } from "../read-reply.ts"

/** More than any model makes; each is asked about. */
const MOST_OUTPUTS = 64

/** Of a task that is over; undefined if the answers do not tell. `path` is the task's. */
export async function readEnd(
  path: string,
  task: Json | undefined,
  send: Send,
): Promise<PollOutcome | undefined> {
  const { json: usage, status } = await send({ method: "GET", path: `${path}/usage` })
  if (status !== 200 || usage === undefined) return undefined
  if (textAt(task, "status") === "failed") return readFailure(task, usage)
  return readResult(path, usage, send)
}

/**
 * The task fails here as it failed there, and is charged here if it was charged there. An unknown outcome there
 * is an end here too, since another attempt could buy the work again. Only a task that never found a provider
 * may be tried again.
 */
function readFailure(task: Json | undefined, usage: Json): PollOutcome {
  const code = textAt(task, "error", "code") ?? ""
  if (code === "provider_unavailable") return { kind: "not-created", reason: code }
  const known = isFailureCode(code) ? code : "provider_rejected"
  const refused = toRefused(known, textAt(task, "error", "message"))
  if (countAt(usage, "charge_micros") === 0) return refused
  const images = countAt(usage, "usage", "images")
  return {
    ...refused,
    billed: { images, outputVideoMs: countAt(usage, "usage", "output_video_ms") },
  }
}

async function readResult(path: string, usage: Json, send: Send): Promise<Completed | undefined> {
  const { json, status } = await send({ method: "GET", path: `${path}/artifacts` })
  if (status !== 200 || !Array.isArray(at(json, "artifacts"))) return undefined
  const listed = listAt(json, "artifacts").slice(0, MOST_OUTPUTS)
  const found = await Promise.all(
    listed.map((artifact) => findOutput(`${path}/artifacts/${toSegment(artifact, "key")}`, send)),
  )
  if (found.includes(undefined)) return undefined
  const outputs = found.flatMap((output, position): LinkedOutput[] => {
    const expiresAt = at(listed[position], "expires_at")
    if (typeof output !== "object") return []
    return [typeof expiresAt === "number" ? { ...output, expiresAt: expiresAt * 1_000 } : output]
  })
  const inputVideosMs = listAt(usage, "usage", "input_videos_ms").filter(isNumber)
  return { kind: "completed", outputs, ...(inputVideosMs.length > 0 && { inputVideosMs }) }
}

/** Undefined if the answer tells nothing. `gone` is no reason to give up the other outputs. */
async function findOutput(path: string, send: Send): Promise<LinkedOutput | "gone" | undefined> {
  const url = `${path}/content`
  const { headers, status } = await send({ method: "HEAD", path: url })
  if (status === 410) return "gone"
  if (status !== 200) return undefined
  const [, digest] =
    /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers["repr-digest"] ?? "") ?? []
  if (digest === undefined) return { url }
  return { url, sha256: Buffer.from(digest, "base64").toString("hex") }
}

function isNumber(value: Json): value is number {
  return typeof value === "number"
}

/** 0 if it is no number. */
export function countAt(value: Json | undefined, ...path: readonly string[]): number {
  const found = at(value, ...path)
  return typeof found === "number" ? found : 0
}

/** For a path: the text that is `member` of `value`. */
export function toSegment(value: Json | undefined, member: string): string {
  return encodeURIComponent(textAt(value, member) ?? "")
}
