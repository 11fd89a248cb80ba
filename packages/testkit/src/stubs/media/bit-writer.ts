/**
 * Writes bits, most significant first, with the Exp-Golomb codes of H.264 (ITU-T H.264 §9.1). WebP
 * counts its bits the other way round and does not use it.
 */

export interface BitWriter {
  /** Appends the lowest `count` bits of `value`. */
  bits(value: number, count: number): void
  /** ue(v): an unsigned Exp-Golomb code. */
  unsigned(value: number): void
  /** Zero bits up to the next whole byte; nothing if there is none begun. */
  align(): void
  bytes(values: Uint8Array): void
  /** The bytes so far; a begun byte is filled with zeros. */
  finish(): Buffer
}

export function createBitWriter(): BitWriter {
  const parts: number[] = []
  let begun = 0
  let filled = 0

  function bits(value: number, count: number): void {
    for (let left = count; left > 0;) {
      const taken = Math.min(left, 8 - filled)
      left -= taken
      begun = (begun << taken) | (Math.floor(value / 2 ** left) & (2 ** taken - 1))
      filled += taken
      if (filled < 8) continue
      parts.push(begun)
      begun = 0
      filled = 0
    }
  }

  function align(): void {
    if (filled > 0) bits(0, 8 - filled)
  }

  return {
    bits,
    unsigned(value) {
      const length = Math.floor(Math.log2(value + 1))
      bits(0, length)
      bits(value + 1, length + 1)
    },
    align,
    bytes(values) {
      for (const value of values) bits(value, 8)
    },
    finish() {
      align()
      return Buffer.from(parts)
    },
  }
}
