/**
 * The bytes of a picture, passed on as they come, and at their end the proof that it is there. A server
 * that announces less than it has cuts a picture off and nobody notices: HTTP says that all is well, and
 * the first bytes are those of a picture. Films need no such proof, since they are measured.
 */
import { SafelightError } from "@safelight/core"

/** Some programs write metadata behind a picture's end: so far back it is looked for. */
const TAIL_BYTES = 64 * 1024

/** IEND, which is empty, and its checksum. */
const PNG_END = Buffer.from("0000000049454e44ae426082", "hex")
/** In the data of a picture this marker never stands: each 0xff there is followed by a zero. */
const JPEG_END = Buffer.from("ffd9", "hex")
/** `RIFF`, the size of all that follows, `WEBP`. */
const RIFF_HEADER_BYTES = 8

/** Rejects with `media_unreadable` at the end where that is not the picture's; other types pass. */
export function readWholePicture(
  body: AsyncIterable<Uint8Array>,
  mimeType: string,
): AsyncIterable<Uint8Array> {
  switch (mimeType) {
    case "image/png":
      return readToMark(body, PNG_END)
    case "image/jpeg":
      return readToMark(body, JPEG_END)
    case "image/webp":
      return readRiff(body)
    default:
      return body
  }
}

async function* readToMark(
  body: AsyncIterable<Uint8Array>,
  mark: Buffer,
): AsyncGenerator<Uint8Array> {
  const tail = createTail()
  for await (const chunk of body) {
    tail.add(chunk)
    yield chunk
  }
  if (!tail.read().includes(mark)) throw brokenOff()
}

async function* readRiff(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0)
  let bytes = 0
  for await (const chunk of body) {
    if (head.length < RIFF_HEADER_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, RIFF_HEADER_BYTES - head.length)])
    }
    bytes += chunk.length
    yield chunk
  }
  const isWhole =
    head.length >= RIFF_HEADER_BYTES && bytes >= head.readUInt32LE(4) + RIFF_HEADER_BYTES
  if (!isWhole) throw brokenOff()
}

/**
 * The last bytes of all that was added, written round and round: a sender may cut its body into single
 * bytes, and each must cost no more than itself.
 */
function createTail(): { add(chunk: Uint8Array): void; read(): Buffer } {
  const ring = Buffer.alloc(TAIL_BYTES)
  let at = 0
  let isFull = false
  return {
    add(chunk) {
      const last = chunk.subarray(-TAIL_BYTES)
      const untilEnd = last.subarray(0, TAIL_BYTES - at)
      ring.set(untilEnd, at)
      ring.set(last.subarray(untilEnd.length), 0)
      isFull ||= at + last.length >= TAIL_BYTES
      at = (at + last.length) % TAIL_BYTES
    },
    read: () =>
      isFull ? Buffer.concat([ring.subarray(at), ring.subarray(0, at)]) : ring.subarray(0, at),
  }
}

function brokenOff(): SafelightError {
  return new SafelightError({ code: "media_unreadable", message: "The picture breaks off." })
}
