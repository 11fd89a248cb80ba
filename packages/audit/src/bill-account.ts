/**
 * An account's bill for a period, each charge with its evidence: what was used, by which price, the arithmetic, and
 * the event that charged it, behind a chain that is proved. The items of the bill say which tasks are looked at, and
 * the events say everything else. An item that lacks can't be missed here: `replay` finds it.
 */
import {
  POSITIVE,
  takeIntegers,
  type ChargeRow,
  type Digest,
  type Model,
  type PriceBook,
  type Storage,
} from "@safelight/core"
import type { Finding } from "./finding.ts"
import { KEPT_FINDINGS, type FindingReport } from "./kept-findings.ts"
import { readPriceNames } from "./price-names.ts"
import { proveCharge, type BilledCharge } from "./prove-charge.ts"
import { toReplayRules } from "./replay-rules.ts"
import { createLedger, type AuditOutcome } from "./report.ts"

export interface BillOptions {
  readonly storage: Pick<Storage, "listCharges" | "listDefinitions" | "readEvents">
  readonly digest: Digest
  /** Every table that a charged task may name. */
  readonly prices: PriceBook
  /** Every model that a charged task may name. */
  readonly models: readonly Model[]
  readonly account: string
  /** Milliseconds since the Unix epoch, inclusive: tasks that ended then or later. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Charges in memory at once, with the events of their tasks; 100 by default. */
  readonly pageCharges?: number
  /** Findings that the report lists; 100 by default. All are counted. */
  readonly keptFindings?: number
}

export interface BillReport extends FindingReport<Finding> {
  readonly outcome: AuditOutcome
  /** Those with evidence. */
  readonly charges: number
  /** Items of the bill that the log does not make so: it is damaged, or says something else. */
  readonly untoldCharges: number
  /** The sum of the bill's items. */
  readonly billedMicros: number
  /** The sum of the charges, as the log has them. */
  readonly chargeMicros: number
  /** The sum of what they must be; null if one can't be told. */
  readonly recomputedMicros: number | null
}

const DEFAULTS = { keptFindings: KEPT_FINDINGS, pageCharges: 100 }

/**
 * Yields the charges by the moment at which their tasks ended, then by task, and returns the report. Nothing is read
 * before it is asked for, and only a page is in memory. Rejects with `invalid-configuration` if a count is not
 * a positive integer, and as the storage does.
 */
export async function* billAccount(options: BillOptions): AsyncGenerator<BilledCharge, BillReport> {
  const { digest, storage } = options
  const bounds = { keptFindings: POSITIVE, pageCharges: POSITIVE }
  const { keptFindings, pageCharges } = takeIntegers({ bounds, defaults: DEFAULTS, options })
  const { account, from, to } = options
  const known = { ...toReplayRules(options), digest }
  const findPrice = await readPriceNames(storage, known)
  const rules = { ...known, findPrice }
  const ledger = createLedger(keptFindings)
  const sums = createSums(ledger.find)
  const request = { account, from, to, limit: pageCharges }
  let page = await storage.listCharges(request)
  for (;;) {
    const items = await Promise.all(
      page.charges.map(async (item) => ({ item, events: await storage.readEvents(item.task) })),
    )
    for (const { events, item } of items) {
      const charge = proveCharge(item, events, { rules, find: ledger.find })
      sums.add(item, charge)
      if (charge !== undefined) yield charge
    }
    if (page.next === null) break
    page = await storage.listCharges({ ...request, after: page.next })
  }
  const { findingCount, findings, outcome } = ledger.toReport()
  return { outcome, ...sums.toReport(), findings, findingCount }
}

interface Sums {
  add(item: ChargeRow, charge: BilledCharge | undefined): void
  toReport(): Omit<BillReport, "findingCount" | "findings" | "outcome">
}

function createSums(find: (finding: Finding) => void): Sums {
  let [charges, untoldCharges, billedMicros, chargeMicros] = [0, 0, 0, 0]
  let recomputedMicros: number | null = 0

  function assertCountable(sum: number, { chargeMicros: found, task }: ChargeRow): void {
    if (Number.isSafeInteger(sum)) return
    const expected = Number.MAX_SAFE_INTEGER
    find({ kind: "total-too-large", task, version: null, expected, found })
  }

  return {
    add(item, charge) {
      billedMicros += item.chargeMicros
      assertCountable(billedMicros, item)
      if (charge === undefined) {
        untoldCharges += 1
        return
      }
      charges += 1
      chargeMicros += charge.chargeMicros
      const { recomputedMicros: own } = charge
      recomputedMicros = recomputedMicros === null || own === null ? null : recomputedMicros + own
    },
    toReport: () => ({ charges, untoldCharges, billedMicros, chargeMicros, recomputedMicros }),
  }
}
