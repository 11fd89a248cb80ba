/**
 * The address of an artifact's bytes, made from the configured public URL and never from what a
 * request says of its host; and when a link to it ends, which is never after the artifact does.
 */
import { toUnixSeconds, type ArtifactRow } from "@safelight/core"
import { toTaskPath } from "./task-body.ts"

/** How long a link opens its artifact: a day, and a week at most (http-decisions §6). */
export const LINK_SECONDS = { byDefault: 86_400, min: 1, max: 604_800 } as const

/** With a token it is a private link: whoever has it has the artifact. */
export function toContentUrl(
  publicUrl: string,
  { task, key }: Pick<ArtifactRow, "key" | "task">,
  token?: string,
): string {
  const base = publicUrl.replace(/\/+$/, "")
  const url = `${base}${toTaskPath(task)}/artifacts/${encodeURIComponent(key)}/content`
  return token === undefined ? url : `${url}?access=${token}`
}

/** In Unix seconds; undefined where the artifact is gone before a link could open it. */
export function toLinkEnd(
  { expiresAt }: Pick<ArtifactRow, "expiresAt">,
  now: number,
  seconds: number,
): number | undefined {
  const end = Math.min(toUnixSeconds(now) + seconds, toUnixSeconds(expiresAt))
  return end * 1_000 > now ? end : undefined
}
