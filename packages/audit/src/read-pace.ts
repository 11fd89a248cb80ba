/**
 * A pace for reads: so many bytes a second at most, however many readers there are. One read is under way at a time,
 * and the next waits until the bytes of the one before have had their time. What nobody read for a while is not made
 * up for.
 */
import { createSemaphore, type ArtifactReader, type Clock } from "@safelight/core"

/** As `reader.read(into)`, once it is the turn of that read. */
export type PacedRead = (reader: ArtifactReader, into: Uint8Array) => Promise<number>

export function createPacedRead(
  bytesPerSecond: number,
  clock: Pick<Clock, "monotonicNow" | "wait">,
): PacedRead {
  const turns = createSemaphore({ permits: 1, name: "paced reads" })
  let dueMs = clock.monotonicNow()
  return (reader, into) =>
    turns.run(async () => {
      for (;;) {
        const leftMs = dueMs - clock.monotonicNow()
        if (leftMs <= 0) break
        // oxlint-disable-next-line no-await-in-loop -- a timer may be early
        await clock.wait(leftMs)
      }
      const startedMs = clock.monotonicNow()
      const count = await reader.read(into)
      dueMs = startedMs + (count / bytesPerSecond) * 1_000
      return count
    })
}
