/** The body of an answer: JSON, or the bytes of anything else under the type that the answer names. */
import { parseJson } from "@safelight/core"
import type { Reply } from "../declaration/provider-request.ts"

/** No body of such a type is JSON, and a large one is not decoded as a text to find that out. */
const MEDIA = /^(?:image|video|audio|model|font)\//

export function readContent(
  bytes: Uint8Array<ArrayBuffer>,
  contentType = "",
): Pick<Reply, "json" | "content"> {
  const [mimeType = ""] = contentType.toLowerCase().split(/[;\s]/, 1)
  const text = MEDIA.test(mimeType) ? "" : Buffer.from(bytes.buffer).toString("utf8")
  const json = parseJson(text)
  if (json !== undefined || bytes.length === 0) return { json }
  return { json, content: { mimeType: mimeType || "application/octet-stream", bytes } }
}
