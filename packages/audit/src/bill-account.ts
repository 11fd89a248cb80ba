/**
 * An account's bill for a period, each charge with its evidence: what was used, by which price, the arithmetic, and
 * the event that charged it, behind a chain that is proved. The items of the bill say which tasks are looked at, and
 * the events say everything else. An item that lacks can't be missed here: `replay` finds it.
 */
import {
  POSITIVE,
  takeIntegers,
  toQuoteLines,
  type ChargeRow,
  type Digest,
  type LoggedParameters,
  type Model,
  type PriceBook,
  type QuoteLine,
  type Storage,
  type StoredEvent,
  type Task,
  type Usage,
} from "@safelight/core"
import { isObstacle, toFact, type Finding } from "./finding.ts"
import { KEPT_FINDINGS, type FindingReport } from "./kept-findings.ts"
import { listDiffering } from "./list-differing.ts"
import { readPriceNames, type NamedPrice } from "./price-names.ts"
import { measureCharge } from "./recompute-charge.ts"
import { toReplayRules } from "./replay-rules.ts"
import { createLedger, type AuditOutcome } from "./report.ts"
import { tellTask, type EventName, type TellRules, type ToldCharge } from "./tell-task.ts"

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

/** A charge with its evidence. Money is in integer micro-units. */
export interface BilledCharge {
  readonly task: string
  readonly model: string
  readonly outcome: "succeeded" | "failed"
  /** When the task ended: the period it is billed in. */
  readonly endedAt: number
  /** As measured; null if it used nothing, and then the charge differs. */
  readonly usage: Usage | null
  /** As they are logged: a price may have factors by them. */
  readonly parameters: LoggedParameters
  readonly price: NamedPrice
  /** What was counted: added up, times the factors. Empty if the model has an arithmetic of its own. */
  readonly lines: readonly QuoteLine[]
  /** What usage and price make; null if that can't be told. */
  readonly measuredMicros: number | null
  /** What was reserved for the task, and the most that it is charged. */
  readonly limitMicros: number
  /** What it must be charged; null if that can't be told. */
  readonly recomputedMicros: number | null
  /** What it was charged. */
  readonly chargeMicros: number
  /** The event that charged it. */
  readonly event: EventName
  /** Why the two differ, or can't be compared; null if they are the same. */
  readonly finding: Finding | null
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
      const charge = prove(item, events, { rules, find: ledger.find })
      sums.add(item, charge)
      if (charge !== undefined) yield charge
    }
    if (page.next === null) break
    page = await storage.listCharges({ ...request, after: page.next })
  }
  const { findingCount, findings, outcome } = ledger.toReport()
  return { outcome, ...sums.toReport(), findings, findingCount }
}

interface Proof {
  readonly rules: TellRules
  readonly find: (finding: Finding) => void
}

/** Undefined if the log does not make this item. */
function prove(
  item: ChargeRow,
  events: readonly StoredEvent[],
  proof: Proof,
): BilledCharge | undefined {
  const { find, rules } = proof
  const telling = tellTask({ id: item.task, events }, rules, find)
  if (telling.kind === "untold") return undefined
  const told = telling.kind === "told" ? telling.told : undefined
  if (told?.charge == null) {
    const facts = { expected: null, found: item.chargeMicros }
    find({ kind: "charge-row-orphaned", task: item.task, version: null, ...facts })
    return undefined
  }
  const { event, finding: _finding, price: _price, ...row } = told.charge
  for (const field of listDiffering<ChargeRow>(row, item)) {
    const facts = { expected: toFact(row[field]), found: toFact(item[field]) }
    const place = { task: item.task, version: event.version, field }
    find({ kind: "charge-row-differs", ...place, ...facts })
  }
  // What the log charges to somebody else, or in another month, is no evidence for this bill.
  if (row.account !== item.account || row.at !== item.at) return undefined
  return toBilled(told.task, told.charge, rules)
}

function toBilled(
  task: Task,
  { at: endedAt, chargeMicros, event, finding, price }: ToldCharge,
  rules: TellRules,
): BilledCharge {
  const isKnown = finding === null || !isObstacle(finding)
  const measuredMicros = isKnown ? measureCharge(task, rules.prices, rules.models) : null
  const expected = finding?.kind === "charge-differs" ? Number(finding.expected) : null
  return {
    task: task.id,
    model: task.model,
    outcome: task.state === "failed" ? "failed" : "succeeded",
    endedAt,
    usage: task.usage,
    parameters: task.parameters,
    price,
    lines: toLines(task, price, measuredMicros),
    measuredMicros,
    limitMicros: task.reservationMicros,
    recomputedMicros: finding === null ? chargeMicros : expected,
    chargeMicros,
    event,
    finding,
  }
}

function toLines(
  { parameters, usage }: Task,
  { price }: NamedPrice,
  measuredMicros: number | null,
): readonly QuoteLine[] {
  if (price === null || usage === null || measuredMicros === null) return []
  return toQuoteLines({ parameters, price, usage }, measuredMicros)
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
