/**
 * Whether a replica may be asked: it is examined once a second, and left alone from the first examination that it fails
 * to the first that it passes.
 *
 *     unknown → in use ⇄ left alone
 */
import type { Log } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"

export interface ReplicaWatchOptions {
  readonly log: Log
  /** A position in the primary's log behind every commit that was acknowledged before the call. */
  readonly readPosition: () => Promise<string>
  /** Whether the replica has replayed the log up to there. Rejects if it can't be used. */
  readonly hasReplayed: (position: string) => Promise<boolean>
  /** Ends its connections, and with them every read that still waits. */
  readonly disconnect: () => void
}

export interface ReplicaWatch {
  readonly mayAsk: () => boolean
  /** Asks nothing of it until it has passed an examination; `isSuspect`: that follows at once. */
  readonly rest: (isSuspect: boolean) => void
  readonly close: () => void
}

export function createReplicaWatch(options: ReplicaWatchOptions): ReplicaWatch {
  const { disconnect, hasReplayed, log, readPosition } = options
  let state: "unknown" | "in use" | "left alone" = "unknown"
  let isResting = false
  let isExamining = false
  let isClosed = false
  /** What it has to replay next. Its lag is measured by it, so that no other clock and no idle primary matters. */
  let noted: { readonly position: string; readonly at: number } | undefined

  function use(): void {
    isResting = false
    noted = undefined
    if (state !== "in use") log.info({}, "replica in use")
    state = "in use"
  }

  function leave(reason: string): void {
    noted = undefined
    if (state !== "left alone") log.warn({ reason }, "replica left alone")
    state = "left alone"
    disconnect()
  }

  async function judge(): Promise<void> {
    // If the primary does not answer, that says nothing of the replica.
    const position = noted?.position ?? (await readPosition().catch(() => undefined))
    if (position === undefined || isClosed) return
    noted ??= { position, at: performance.now() }
    const { at } = noted
    try {
      const isReplayed = await withinPatience(hasReplayed(position))
      if (isClosed) return
      if (isReplayed) use()
      else if (performance.now() - at > DEFAULTS.replica.mostLagMs) {
        leave(`it lags by more than ${DEFAULTS.replica.mostLagMs} ms`)
      }
    } catch (error) {
      if (!isClosed) leave((error as Error).message)
    }
  }

  async function examine(): Promise<void> {
    if (isExamining || isClosed) return
    isExamining = true
    await judge()
    isExamining = false
  }

  const timer = setInterval(() => void examine(), DEFAULTS.replica.examineMs)
  void examine()
  return {
    mayAsk: () => state === "in use" && !isResting,
    rest(isSuspect) {
      isResting = true
      if (isSuspect) void examine()
    },
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}

async function withinPatience<Answer>(asked: Promise<Answer>): Promise<Answer> {
  const { patienceMs } = DEFAULTS.replica
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`it did not answer within ${patienceMs} ms`)),
    patienceMs,
  )
  try {
    return await Promise.race([asked, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
