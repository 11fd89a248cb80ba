/**
 * The table of the frames of a file by Zstandard, which stands at its end in a frame that decompressors skip: the
 * Zstandard Seekable Format 0.1.0, without checksums. All numbers are little-endian.
 *
 *   magic (4)  size (4)  { compressed size (4)  decompressed size (4) }*  frames (4)  descriptor (1)  magic (4)
 */
export interface Frame {
  /** Compressed. */
  readonly bytes: number
  readonly textBytes: number
}

const SKIPPABLE = 0x184d2a5e
const SEEKABLE = 0x8f92eab1
const ENTRY_BYTES = 8
const HEAD_BYTES = 8

/** From its end on, which says how long the table is. */
export const FOOTER_BYTES = 9

export function writeSeekTable(frames: readonly Frame[]): Uint8Array {
  const size = frames.length * ENTRY_BYTES + FOOTER_BYTES
  const table = Buffer.alloc(HEAD_BYTES + size)
  let end = table.writeUInt32LE(SKIPPABLE, 0)
  end = table.writeUInt32LE(size, end)
  for (const { bytes, textBytes } of frames) {
    end = table.writeUInt32LE(bytes, end)
    end = table.writeUInt32LE(textBytes, end)
  }
  end = table.writeUInt32LE(frames.length, end)
  end = table.writeUInt8(0, end)
  table.writeUInt32LE(SEEKABLE, end)
  return table
}

/** How many bytes of the file's end the table has; undefined if the footer is none. */
export function findTableBytes(footer: Uint8Array): number | undefined {
  const bytes = Buffer.from(footer)
  const isFooter = bytes.length === FOOTER_BYTES && bytes.readUInt32LE(5) === SEEKABLE
  if (!isFooter || bytes.readUInt8(4) !== 0) return undefined
  return HEAD_BYTES + bytes.readUInt32LE(0) * ENTRY_BYTES + FOOTER_BYTES
}

/** `table` is the whole of it. */
export function readSeekTable(table: Uint8Array): readonly Frame[] {
  const bytes = Buffer.from(table)
  const frames: Frame[] = []
  for (let at = HEAD_BYTES; at < bytes.length - FOOTER_BYTES; at += ENTRY_BYTES) {
    frames.push({ bytes: bytes.readUInt32LE(at), textBytes: bytes.readUInt32LE(at + 4) })
  }
  return frames
}
