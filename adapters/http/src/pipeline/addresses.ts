/**
 * The addresses in answers. They are made from the configured public URL, never from what a request says
 * of its host. The path of that URL precedes every path: a client resolves `Location` and `links` against
 * the address that it asked, which is below the prefix.
 */
import type { Artifact } from "@safelight/core"

/** The path of the public URL, without a slash at its end; empty if it has none. */
export type PublicPrefix = () => string

export function createPublicPrefix(publicUrl: () => string): PublicPrefix {
  let url = ""
  let prefix = ""
  return () => {
    const current = publicUrl()
    // Parsed once: the URL changes when a server learns its address, and then no more.
    if (current !== url) prefix = withoutSlash(URL.parse(current)?.pathname ?? "")
    url = current
    return prefix
  }
}

/** The task's path, relative to the public URL. */
export function toTaskPath(id: string): string {
  return `/v1/tasks/${id}`
}

/** The address of an artifact's bytes. With a token it is a private link: whoever has it has the artifact. */
export function toContentUrl(
  publicUrl: string,
  { task, key }: Pick<Artifact, "key" | "task">,
  token?: string,
): string {
  const path = `${toTaskPath(task)}/artifacts/${encodeURIComponent(key)}/content`
  const url = `${withoutSlash(publicUrl)}${path}`
  return token === undefined ? url : `${url}?access=${token}`
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "")
}
