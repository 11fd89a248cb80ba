/**
 * The audit: walks every stream a page at a time, on a live service or a stopped one. A task that changes
 * between two pages is judged as its own page held it. The kept totals of all accounts are one state,
 * read at the end. Whatever is wrong with the data, or with reading it, is in the report; an audit rejects only
 * with a fault of this program.
 */
import {
  isSafelightError,
  POSITIVE,
  takeIntegers,
  type AccountTotals,
  type Digest,
  type Model,
  type PriceBook,
  type ScannedStream,
  type Storage,
} from "@safelight/core"
import { createDefinitionCheck } from "./check-definitions.ts"
import { KEPT_FINDINGS } from "./kept-findings.ts"
import { PAGE_STREAMS, readPages } from "./read-pages.ts"
import { createLedger, type AuditProgress, type AuditReport, type Ledger } from "./report.ts"
import { toReplayRules } from "./replay-rules.ts"
import { replayStreams } from "./replay-stream.ts"
import { verifyStreams } from "./verify-events.ts"

export const DEFAULTS = {
  pageStreams: PAGE_STREAMS,
  keptFindings: KEPT_FINDINGS,
} as const

export interface AuditOptions {
  readonly storage: Pick<Storage, "findDefinition" | "scan" | "scanTotals">
  readonly digest: Digest
  /** Every table that a task in the log may name; `replay` reads it. */
  readonly prices: PriceBook
  /** Every model that a task in the log may name; `replay` reads them. */
  readonly models: readonly Model[]
  /** Streams of a page, of which two are in memory at once; 200 by default. */
  readonly pageStreams?: number
  /** Findings that a report lists; 100 by default. All are counted. */
  readonly keptFindings?: number
}

export const AUDIT_KINDS = ["verify", "replay"] as const

export type AuditKind = (typeof AUDIT_KINDS)[number]

export interface Audit {
  /** Proves every chain: that no event was altered, removed or put between others (design §9). */
  verify(onProgress?: (progress: AuditProgress) => void): Promise<AuditReport>
  /** Proves that folding the log makes the live rows, the bill and the kept totals. */
  replay(onProgress?: (progress: AuditProgress) => void): Promise<AuditReport>
  /**
   * The same, page by page: no more than one page is read before it is asked for, so that a reader who is slow, or goes
   * away, has no more read. It yields how far it is, and returns the report.
   */
  examine(kind: AuditKind): AsyncGenerator<AuditProgress, AuditReport>
}

type Examine = (streams: readonly ScannedStream[], ledger: Ledger) => void

/** Throws `invalid-configuration` if a number is not a positive integer. */
export function createAudit(options: AuditOptions): Audit {
  const { storage, digest } = options
  const rules = toReplayRules(options)
  const bounds = { pageStreams: POSITIVE, keptFindings: POSITIVE }
  const { keptFindings, pageStreams } = takeIntegers({ bounds, defaults: DEFAULTS, options })
  const definitions = createDefinitionCheck(storage, digest)
  const ways: Readonly<Record<AuditKind, Examine>> = {
    verify: (streams, ledger) => void verifyStreams(streams, digest, ledger),
    replay(streams, ledger) {
      for (const task of replayStreams(streams, rules, ledger)) definitions.note(task)
    },
  }

  async function* examine(kind: AuditKind): AsyncGenerator<AuditProgress, AuditReport> {
    const ledger = createLedger(keptFindings)
    let after = ""
    try {
      for await (const { next, streams } of readPages(storage, pageStreams)) {
        for (const { events } of streams) ledger.countTask(events.length)
        ways[kind](streams, ledger)
        // oxlint-disable-next-line no-await-in-loop -- what this page names
        await definitions.examine(ledger)
        after = next ?? after
        yield ledger.toProgress()
      }
    } catch (error) {
      const found = toOutsideFault(error)
      ledger.find({ kind: "storage-failed", task: after, version: null, expected: null, found })
      yield ledger.toProgress()
    }
    if (kind === "replay") await examineTotals(storage, ledger)
    return ledger.toReport()
  }

  return {
    verify: (onProgress) => finish(examine("verify"), onProgress),
    replay: (onProgress) => finish(examine("replay"), onProgress),
    examine,
  }
}

async function finish(
  steps: AsyncGenerator<AuditProgress, AuditReport>,
  onProgress: ((progress: AuditProgress) => void) | undefined,
): Promise<AuditReport> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const step = await steps.next()
    if (step.done === true) return step.value
    onProgress?.(step.value)
  }
}

async function examineTotals(
  storage: Pick<Storage, "scanTotals">,
  { find }: Ledger,
): Promise<void> {
  try {
    // Read at one moment: on a live service too a difference is damage, and no task that finished meanwhile.
    for (const { account, counted, kept } of await storage.scanTotals()) {
      for (const field of Object.keys(counted) as (keyof AccountTotals)[]) {
        const [expected, found] = [counted[field], kept?.[field] ?? null]
        if (found === expected) continue
        find({ kind: "totals-differ", task: null, version: null, account, field, expected, found })
      }
    }
  } catch (error) {
    const found = toOutsideFault(error)
    find({ kind: "totals-unread", task: null, version: null, expected: null, found })
  }
}

/** A storage's failure in words; a fault of this program is thrown again. */
function toOutsideFault(error: unknown): string {
  if (!isSafelightError(error)) throw error
  return `${error.code}: ${error.message}`
}
