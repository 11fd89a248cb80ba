/** How many first bytes tell the type. */
export const MEDIA_HEAD_BYTES = 12

/** The type of media that begin with these bytes; undefined for any but the usual images and films. */
export function findMediaType(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, MEDIA_HEAD_BYTES))
  if (text.startsWith("\x89PNG\r\n\x1A\n")) return "image/png"
  if (text.startsWith("\xFF\xD8\xFF")) return "image/jpeg"
  if (text.slice(4, 8) === "ftyp") return "video/mp4"
  return text.startsWith("RIFF") && text.slice(8) === "WEBP" ? "image/webp" : undefined
}
