/** What came with an answer, read to its end as the engine reads it. */
import assert from "node:assert/strict"
import type { PollOutcome, SubmitOutcome } from "@safelight/core"

export interface ReadOutput {
  readonly mimeType: string
  readonly bytes: Buffer
}

/** The outputs of work that is complete and whose bytes the channel has. */
export function readOutputs(outcome: PollOutcome | SubmitOutcome): Promise<readonly ReadOutput[]> {
  assert.ok(outcome.kind === "completed", JSON.stringify(outcome))
  return Promise.all(
    outcome.outputs.map(async (output) => {
      assert.ok("open" in output)
      const pieces: Uint8Array[] = []
      for await (const piece of output.open(AbortSignal.timeout(10_000))) pieces.push(piece)
      return { mimeType: output.mimeType, bytes: Buffer.concat(pieces) }
    }),
  )
}
