/** An artifact as a line of a list: its key, its type, and until when it is kept, if that is known. */
import type { Artifact } from "@safelight/client"
import { formatOneLine } from "./one-line.ts"

export function formatArtifact({
  key,
  mime_type: mimeType,
  expires_at: expiresAt,
}: Artifact): string {
  const until = expiresAt === undefined ? "" : `  until ${new Date(expiresAt * 1000).toISOString()}`
  return formatOneLine(`${key}  ${mimeType}${until}`)
}
