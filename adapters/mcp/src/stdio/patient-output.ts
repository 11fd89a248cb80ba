/**
 * Standard output whose reader may be slow, or gone. What the reader does not take stays in memory, so nothing more is
 * asked of this program meanwhile: the input waits until all is taken.
 */
import { Writable, type Readable } from "node:stream"

export interface PatientOutput {
  /** Each piece is a message. */
  readonly stream: Writable
  /** To be called after a write: `input` is not read while the reader is behind. */
  holdBack(input: Readable): void
}

/** `onGone` is called if nobody can read it any more. */
export function createPatientOutput(target: Writable, onGone: () => void): PatientOutput {
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void target.write(text, done),
  })
  // Each answer that waits to be taken listens.
  stream.setMaxListeners(0)
  stream.once("error", onGone)
  let isHeld = false
  return {
    stream,
    holdBack(input) {
      if (isHeld || !stream.writableNeedDrain) return
      isHeld = true
      input.pause()
      stream.once("drain", () => {
        isHeld = false
        input.resume()
      })
    },
  }
}
