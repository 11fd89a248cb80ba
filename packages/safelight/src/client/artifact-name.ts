/** The name of the file that an artifact is saved under. Names from outside can't leave the folder. */
import { toFileExtension, type Artifact } from "@safelight/client"

/** `<task>-<key>.<extension>`. */
export function toFileName(
  task: string,
  { key, mime_type: mimeType }: Pick<Artifact, "key" | "mime_type">,
): string {
  return `${toSafeName(task)}-${toSafeName(key)}.${toFileExtension(mimeType)}`
}

function toSafeName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 100)
}
