/** The name of the file that an artifact is saved under. Names from outside can't leave the folder. */
import type { Artifact } from "@safelight/client"

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "video/mp4": "mp4",
}

/** `<task>-<key>.<extension>`. */
export function toFileName(task: string, { key, mime_type: mimeType }: Artifact): string {
  const extension = EXTENSIONS[mimeType.split(";")[0] ?? ""] ?? "bin"
  return `${toSafeName(task)}-${toSafeName(key)}.${extension}`
}

function toSafeName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 100)
}
