/**
 * Standard input as whole lines. The protocol's library joins what it has with each piece that arrives, and a message
 * of many megabytes comes in hundreds of pieces; so it is handed lines, and none above the bound.
 */
import { Transform } from "node:stream"

/** Fails with a `RangeError` once a line has more than `mostBytes`. */
export function createWholeLines(mostBytes: number): Transform {
  let pieces: Buffer[] = []
  let heldBytes = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const end = piece.lastIndexOf(NEW_LINE) + 1
      if (end > 0) {
        this.push(Buffer.concat([...pieces, piece.subarray(0, end)]))
        pieces = []
        heldBytes = 0
      }
      const rest = piece.subarray(end)
      heldBytes += rest.byteLength
      if (heldBytes > mostBytes) {
        pieces = []
        return done(new RangeError(`a message has more than ${mostBytes} bytes`))
      }
      if (rest.byteLength > 0) pieces.push(rest)
      done()
    },
  })
}

const NEW_LINE = 0x0a
