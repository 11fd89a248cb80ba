/**
 * Records what became of tries, all that waits in one commit. While the storage is away they wait; those that
 * waited longer than their taker had time for are dropped, since others make those tries again by then.
 */
import type { AbortSignalLike, Clock, Log, RecordedTry, WebhookStorage } from "@safelight/core"

export interface RecorderOptions {
  readonly storage: Pick<WebhookStorage, "recordTries">
  readonly clock: Pick<Clock, "monotonicNow" | "wait">
  readonly leaseMs: number
  readonly log: Log
  /** Aborted: a failure is final. */
  readonly signal: AbortSignalLike
}

export interface Recorder {
  /** Resolves to whether it was recorded; never rejects. */
  record(tried: RecordedTry): Promise<boolean>
}

interface Waiting {
  readonly tried: RecordedTry
  readonly until: number
  readonly resolve: (isRecorded: boolean) => void
}

/** In one commit. */
const MOST = 256
const PAUSE_MS = 500

export function createRecorder({
  storage,
  clock,
  leaseMs,
  log,
  signal,
}: RecorderOptions): Recorder {
  let waiting: Waiting[] = []
  let isRunning = false

  async function recordBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      await storage.recordTries(batch.map(({ tried }) => tried))
      for (const { resolve } of batch) resolve(true)
    } catch (error) {
      log.warn({ error, tries: batch.length }, "webhook tries not recorded")
      await clock.wait(PAUSE_MS, signal)
      const now = clock.monotonicNow()
      for (const each of batch) {
        if (each.until <= now || signal.aborted) each.resolve(false)
        else waiting.push(each)
      }
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST)
      waiting = waiting.slice(MOST)
      // oxlint-disable-next-line no-await-in-loop -- what comes meanwhile is the next batch
      await recordBatch(batch)
    }
    isRunning = false
  }

  return {
    record: (tried) =>
      new Promise((resolve) => {
        waiting.push({ tried, until: clock.monotonicNow() + leaseMs, resolve })
        if (!isRunning) void run()
      }),
  }
}
