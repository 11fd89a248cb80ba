/**
 * The audit: walks every stream a page at a time, on a live service or a stopped one. Only one page
 * is in memory, and each is consistent in itself; a task that changes between two pages is judged
 * as its own page held it. What is wrong is data; only a fault of this program is thrown.
 */
import { setImmediate } from "node:timers/promises"
import {
  isSafelightError,
  SafelightError,
  type Digest,
  type Model,
  type PriceBook,
  type ScannedStream,
  type Storage,
} from "@safelight/core"
import { createLedger, type AuditProgress, type AuditReport, type Ledger } from "./report.ts"
import { replayStream } from "./replay-stream.ts"
import { verifyStream } from "./verify-stream.ts"

export const DEFAULTS = {
  /** Streams in memory at once: about a thousand events, a few milliseconds of work. */
  pageStreams: 200,
  /** Enough to see what kind of damage it is. */
  keptFindings: 100,
} as const

export interface AuditOptions {
  readonly storage: Pick<Storage, "scan">
  readonly digest: Digest
  /** Every table that a task in the log may name. */
  readonly prices: PriceBook
  readonly models: readonly Model[]
  readonly pageStreams?: number
  readonly keptFindings?: number
}

export interface Audit {
  /** Proves every chain: that no event was altered, removed or put between others (design §9). */
  verify(onProgress?: (progress: AuditProgress) => void): Promise<AuditReport>
  /** Proves that folding the log makes the live rows and the charges in it. */
  replay(onProgress?: (progress: AuditProgress) => void): Promise<AuditReport>
}

type Examine = (stream: ScannedStream, ledger: Ledger) => void

/** Throws `invalid-configuration` where a count is no positive integer. */
export function createAudit(options: AuditOptions): Audit {
  const { storage, digest, prices } = options
  const pageStreams = toCount("pageStreams", options.pageStreams ?? DEFAULTS.pageStreams)
  const keptFindings = toCount("keptFindings", options.keptFindings ?? DEFAULTS.keptFindings)
  const models = new Map(options.models.map((model) => [model.id, model]))

  async function examineAll(
    examine: Examine,
    onProgress: ((progress: AuditProgress) => void) | undefined,
  ): Promise<AuditReport> {
    const ledger = createLedger(keptFindings)
    let after: string | null = ""
    while (after !== null) {
      after = await examinePage(after, examine, ledger)
      onProgress?.(ledger.toProgress())
      // A storage that answers at once would otherwise keep the event loop to itself.
      await setImmediate()
    }
    return ledger.toReport()
  }

  async function examinePage(
    after: string,
    examine: Examine,
    ledger: Ledger,
  ): Promise<string | null> {
    const page = await scanPage(after, ledger)
    if (page === undefined) return null
    for (const stream of page.streams) {
      ledger.countTask(stream.events.length)
      examine(stream, ledger)
    }
    return page.next
  }

  async function scanPage(
    after: string,
    ledger: Ledger,
  ): Promise<Awaited<ReturnType<typeof storage.scan>> | undefined> {
    try {
      return await storage.scan({ after, limit: pageStreams })
    } catch (error) {
      if (!isSafelightError(error)) throw error
      const found = `${error.code}: ${error.message}`
      ledger.find({ kind: "storage-failed", task: after, version: null, expected: null, found })
      return undefined
    }
  }

  return {
    verify: (onProgress) =>
      examineAll((stream, ledger) => verifyStream(stream, digest, ledger), onProgress),
    replay: (onProgress) =>
      examineAll((stream, ledger) => replayStream(stream, { prices, models }, ledger), onProgress),
  }
}

function toCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  const message = `${name} must be a positive integer, not ${value}`
  throw new SafelightError({ code: "invalid-configuration", message })
}
