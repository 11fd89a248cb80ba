/** CRC-32 (IEEE 802.3), for the checksum of an API key: it tells a typo from an unknown key. */

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  }
  return remainder
})

/** The checksum of ASCII `text`, as an unsigned integer. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index += 1) {
    crc = (crc >>> 8) ^ (TABLE[(crc ^ text.charCodeAt(index)) & 0xff] as number)
  }
  return (crc ^ 0xffffffff) >>> 0
}
