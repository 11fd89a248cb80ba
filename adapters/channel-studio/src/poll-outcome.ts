/** How a rendering stands, in the words of the channel port. */
import type { ChannelOutput, PollOutcome } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import { createUnavailable } from "./machine-trouble.ts"
import type { Rendering } from "./rendering.ts"
import type { RenderedOutput } from "./rendering-job.ts"

/** Handed to storage a piece at a time: 256 KiB is where larger ones stop being faster. */
const PIECE_BYTES = 256 * 1024

/**
 * `free` is called once every output has been read to its end, and if the rendering has to begin anew.
 * In the latter case this throws `channel-unavailable`.
 */
export function toPollOutcome(rendering: Rendering, free: () => void): PollOutcome {
  const { end, progress } = rendering
  switch (end?.kind) {
    case undefined:
      return { kind: "running", progress, pollAfterMs: DEFAULTS.pollAfterMs }
    case "called-off":
      return { kind: "refused", code: "task_cancelled" }
    case "unavailable":
      free()
      throw createUnavailable("the studio's machine could not render for now")
    case "refused":
      return end
    case "rendered": {
      const { outputs } = end
      const unread = new Set(outputs)
      const done = (output: RenderedOutput): void => {
        unread.delete(output)
        if (unread.size === 0) free()
      }
      return {
        kind: "completed",
        outputs: outputs.map((output) => toChannelOutput(output, () => done(output))),
      }
    }
  }
}

function toChannelOutput(output: RenderedOutput, done: () => void): ChannelOutput {
  const { mimeType, bytes } = output
  return { mimeType, open: () => readPieces(bytes, done) }
}

async function* readPieces(bytes: Uint8Array, done: () => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES)
  }
  done()
}
