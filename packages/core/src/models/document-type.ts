/**
 * Texts and 3D models by their first bytes: what a detector of media does not tell, or tells by a word with which any
 * text may begin. A format that has no mark of its own, such as binary STL, is not told here.
 */
import type { ArtifactKind } from "./artifact-kind.ts"
import type { MediaType } from "./media-type.ts"

type Document = MediaType<"text" | "3d">

/** What the first bytes of a file are, of the kinds that are wanted; undefined if they are neither. */
export function findDocumentType(
  sample: Uint8Array,
  kinds: readonly ArtifactKind[],
): Document | undefined {
  const [is3d, isWritten] = [kinds.includes("3d"), kinds.includes("text")]
  if (!is3d && !isWritten) return undefined
  const head = toLatin1(sample)
  const model = is3d ? findModelType(sample, head) : undefined
  if (model !== undefined) return { kind: "3d", mimeType: model }
  const text = isWritten && isText(sample) ? findTextType(head) : undefined
  return text === undefined ? undefined : { kind: "text", mimeType: text }
}

/** A PLY's header: https://paulbourke.net/dataformats/ply. */
const PLY =
  /^ply\r?\n(?:(?:comment|obj_info)[^\n]*\n)*format (?:ascii|binary_(?:little|big)_endian) 1\.0/
const ASCII_STL = /^solid[^\n]*\n\s*facet\s+normal\s/
const OBJ_LINE = /^(?:#.*|(?:mtllib|usemtl|[ogs]) .*|(?:v|vn|vt|vp|f|l|p) [-+\d./e\s]+|\s*)$/i
const OBJ_VERTEX = /^v [-+\d.]/m

function findModelType(sample: Uint8Array, head: string): string | undefined {
  if (head.startsWith("glTF\u0002\0\0\0")) return "model/gltf-binary"
  if (PLY.test(head)) return "model/ply"
  if (ASCII_STL.test(head)) return "model/stl"
  if (isUsdz(head)) return "model/vnd.usdz+zip"
  return isText(sample) && isObj(head) ? "model/obj" : undefined
}

/** An archive whose first file, stored as it is, is a scene: https://openusd.org/release/spec_usdz.html. */
function isUsdz(head: string): boolean {
  const nameEnd = 30 + head.charCodeAt(26) + 256 * head.charCodeAt(27)
  const isStored = head.startsWith("PK\u0003\u0004") && head.startsWith("\0\0", 8)
  return isStored && /\.usd[ac]?$/.test(head.slice(30, nameEnd))
}

/** Every line of the sample but the last, which may be cut off, is one that an OBJ file has. */
function isObj(head: string): boolean {
  const lines = head.split(/\r?\n/)
  const whole = lines.slice(0, -1)
  return OBJ_VERTEX.test(head) && whole.every((line) => OBJ_LINE.test(line))
}

const SRT = /^(?:\xef\xbb\xbf)?\s*\d+\r?\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}/
/** A page is what a server answers in place of a file. */
const PAGE = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)[\s>]/i

function findTextType(head: string): string | undefined {
  if (PAGE.test(head)) return undefined
  if (/^(?:\xef\xbb\xbf)?WEBVTT[ \t\r\n]/.test(head)) return "text/vtt"
  return SRT.test(head) ? "application/x-subrip" : "text/plain"
}

/** Whether they are the beginning of a text in UTF-8 (RFC 3629) without control characters. */
function isText(sample: Uint8Array): boolean {
  let at = 0
  while (at < sample.length) {
    const length = findLength(sample[at] as number)
    if (length === undefined) return false
    for (let next = at + 1; next < Math.min(at + length, sample.length); next += 1) {
      if (((sample[next] as number) & 0xc0) !== 0x80) return false
    }
    at += length
  }
  return sample.length > 0
}

/** How many bytes a character has that begins so; undefined if none does. */
function findLength(first: number): number | undefined {
  if (first < 0x20) return first >= 0x09 && first <= 0x0d ? 1 : undefined
  if (first < 0x80) return first === 0x7f ? undefined : 1
  if (first < 0xc2 || first > 0xf4) return undefined
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
}

function toLatin1(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
