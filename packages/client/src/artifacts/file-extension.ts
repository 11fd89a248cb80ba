/** What the name of a file ends with that holds an artifact. */

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/webm": "weba",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "text/plain": "txt",
  "text/vtt": "vtt",
  "text/csv": "csv",
  "text/markdown": "md",
  "application/json": "json",
  "application/x-subrip": "srt",
  "model/gltf-binary": "glb",
  "model/obj": "obj",
  "model/ply": "ply",
  "model/stl": "stl",
  "model/3mf": "3mf",
  "model/vnd.usdz+zip": "usdz",
}

/** By an artifact's `mime_type`, without a dot; `bin` for any other. */
export function toFileExtension(mimeType: string): string {
  const essence = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return Object.hasOwn(EXTENSIONS, essence) ? (EXTENSIONS[essence] as string) : "bin"
}
