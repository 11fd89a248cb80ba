/**
 * An item of a bill proved: the events of its task are folded behind a chain that is whole, and the item is compared
 * with the charge that they make.
 */
import {
  toQuoteLines,
  type ChargeRow,
  type LoggedParameters,
  type NamedPrice,
  type QuoteLine,
  type StoredEvent,
  type Task,
  type Usage,
} from "@safelight/core"
import { isObstacle, toFact, type Finding } from "./finding.ts"
import { listDiffering } from "./list-differing.ts"
import { measureCharge } from "./recompute-charge.ts"
import { tellTask, type EventName, type TellRules, type ToldCharge } from "./tell-task.ts"

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

export interface ChargeProof {
  readonly rules: TellRules
  readonly find: (finding: Finding) => void
}

/**
 * The charge of an item of a bill, from the events of its task; undefined if the log does not make this item. `find`
 * gets what is wrong with the events, the charge and the item.
 */
export function proveCharge(
  item: ChargeRow,
  events: readonly StoredEvent[],
  proof: ChargeProof,
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
