/**
 * Sets the creation and modification times in an MP4's headers to 0, in place. The muxer writes
 * the wall clock there and has no setting for it (ISO/IEC 14496-12 §8.2.2, §8.3.2, §8.4.2).
 */

/** Boxes that hold other boxes on the way to the headers. */
const CONTAINERS = new Set(["moov", "trak", "mdia"])
/** Boxes that begin with version, flags and the two times. */
const HEADERS = new Set(["mvhd", "tkhd", "mdhd"])

export function clearMp4Times(file: Uint8Array): void {
  clearIn(file, new DataView(file.buffer, file.byteOffset, file.byteLength), 0, file.byteLength)
}

function clearIn(file: Uint8Array, view: DataView, from: number, until: number): void {
  for (let at = from; at + 8 <= until;) {
    const { bodyAt, endAt } = readExtent(view, at, until)
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8))
    if (CONTAINERS.has(type)) clearIn(file, view, bodyAt, endAt)
    if (HEADERS.has(type)) {
      const timeBytes = view.getUint8(bodyAt) === 1 ? 8 : 4
      file.fill(0, bodyAt + 4, bodyAt + 4 + 2 * timeBytes)
    }
    at = endAt
  }
}

function readExtent(view: DataView, at: number, until: number): { bodyAt: number; endAt: number } {
  const size = view.getUint32(at)
  // 0 means to the end, 1 that a 64-bit size follows
  if (size === 0) return { bodyAt: at + 8, endAt: until }
  if (size === 1) return { bodyAt: at + 16, endAt: at + Number(view.getBigUint64(at + 8)) }
  return { bodyAt: at + 8, endAt: at + size }
}
