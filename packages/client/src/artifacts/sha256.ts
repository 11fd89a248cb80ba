/**
 * SHA-256 (FIPS 180-4), piece by piece. Web Crypto only hashes data that is in memory as a whole, and
 * browsers offer it on secure pages only.
 */

export interface Sha256 {
  update(bytes: Uint8Array): void
  /** 32 bytes. Call it once, at the end. */
  digest(): Uint8Array<ArrayBuffer>
}

const BLOCK_BYTES = 64
/** Where the last block holds the length in bits, in eight bytes. */
const LENGTH_AT = 56

const primes = [...listPrimes(64)]
/** The first 32 bits of the fractions of square and cube roots of primes (FIPS 180-4 §4.2.2, §5.3.3). */
const START = Int32Array.from(primes.slice(0, 8), (prime) => toFraction(Math.sqrt(prime)))
const ROUNDS = Int32Array.from(primes, (prime) => toFraction(Math.cbrt(prime)))

/** The words of the block that is being compressed: shared, since no other is meanwhile. */
const words = new Int32Array(64)

export function createSha256(): Sha256 {
  const state = START.slice()
  const block = new Uint8Array(BLOCK_BYTES)
  let filled = 0
  let total = 0

  function update(bytes: Uint8Array): void {
    total += bytes.length
    let at = 0
    if (filled > 0) {
      at = Math.min(BLOCK_BYTES - filled, bytes.length)
      block.set(bytes.subarray(0, at), filled)
      filled += at
      if (filled < BLOCK_BYTES) return
      compress(state, block, 0)
      filled = 0
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) compress(state, bytes, at)
    block.set(bytes.subarray(at), 0)
    filled = bytes.length - at
  }

  return {
    update,
    digest() {
      block.fill(0, filled)
      block[filled] = 0x80
      if (filled >= LENGTH_AT) {
        compress(state, block, 0)
        block.fill(0)
      }
      const bits = total * 8
      const end = new DataView(block.buffer)
      end.setUint32(LENGTH_AT, Math.floor(bits / 2 ** 32))
      end.setUint32(LENGTH_AT + 4, bits % 2 ** 32)
      compress(state, block, 0)
      const bytes = new DataView(new ArrayBuffer(32))
      for (let index = 0; index < 8; index += 1) bytes.setInt32(index * 4, state[index]!)
      return new Uint8Array(bytes.buffer)
    },
  }
}

/** FIPS 180-4 §6.2.2, on the 64 bytes from `at` on. Plain steps: this runs for every 64 bytes. */
function compress(state: Int32Array, bytes: Uint8Array, at: number): void {
  expand(bytes, at)
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let index = 0; index < 64; index += 1) {
    const large = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const choice = (e & f) ^ (~e & g)
    const one = (h + large + choice + ROUNDS[index]! + words[index]!) | 0
    const small = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + small + majority) | 0
  }
  // Sums are cut to 32 bits by the array.
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

/** The 64 words of a block. */
function expand(bytes: Uint8Array, at: number): void {
  for (let index = 0; index < 16; index += 1) {
    const from = at + index * 4
    words[index] =
      (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!
  }
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15]!
    const late = words[index - 2]!
    const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const large = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[index] = words[index - 16]! + small + words[index - 7]! + large
  }
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

function toFraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0
}

function* listPrimes(count: number): Generator<number> {
  const found: number[] = []
  for (let each = 2; found.length < count; each += 1) {
    if (found.some((prime) => each % prime === 0)) continue
    found.push(each)
    yield each
  }
}
