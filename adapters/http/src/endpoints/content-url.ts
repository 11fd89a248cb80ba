/**
 * The address of an artifact's bytes, made from the configured public URL and never from what a
 * request says of its host.
 */
import type { ArtifactRow } from "@safelight/core"
import { toTaskPath } from "./task-body.ts"

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
