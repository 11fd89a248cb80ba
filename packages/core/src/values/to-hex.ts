/** Lower-case hexadecimal digits of bytes. (`Uint8Array.prototype.toHex` is not in every Node that is served.) */
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

export function toHex(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += DIGITS[byte]
  return text
}
