/**
 * The port `StatementService`: an account's charges by page, each proved as a bill proves it. Whoever reads it is no
 * operator, so findings lose their facts, which may be another account's or sealed, and an event is told only as its
 * account may see it.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import {
  toShownEvents,
  type ChainedEvent,
  type ChargeRow,
  type Clock,
  type Digest,
  type Model,
  type PriceBook,
  type StatedCharge,
  type StatedFinding,
  type StatementService,
  type Storage,
  type StoredEvent,
} from "@safelight/core"
import { isObstacle, type Finding } from "./finding.ts"
import { proveCharge, type BilledCharge } from "./prove-charge.ts"
import { createRuleReader } from "./rule-reader.ts"
import type { TellRules } from "./tell-task.ts"
import { createWorkPool } from "./work-pool.ts"

export interface StatementsOptions {
  readonly storage: Pick<Storage, "listCharges" | "listDefinitions" | "readEvents">
  readonly digest: Digest
  /** Those of the configuration; the storage has the others that tasks name. */
  readonly prices: PriceBook
  readonly models: readonly Model[]
  readonly clock: Pick<Clock, "monotonicNow">
}

/** Tasks of a page whose events are in memory at once. */
const TASKS_AT_ONCE = 4

export function createStatements(options: StatementsOptions): StatementService {
  const { digest, storage } = options
  const readRules = createRuleReader(options)

  async function state(item: ChargeRow, rules: TellRules): Promise<StatedCharge> {
    const events = await storage.readEvents(item.task)
    // Between tasks, whose events are hashed, requests are answered.
    await nextTurn()
    const findings: Finding[] = []
    const charge = proveCharge(item, events, { rules, find: (finding) => findings.push(finding) })
    const evidence = charge === undefined ? null : toEvidence(charge, events, digest)
    return { item, evidence, finding: toStatedFinding(charge, findings) }
  }

  return {
    async readStatement(request) {
      const [rules, { charges, next }] = await Promise.all([
        readRules(),
        storage.listCharges(request),
      ])
      const pool = createWorkPool(TASKS_AT_ONCE)
      const stated = charges.map((item) => pool.run(() => state(item, rules)))
      return { charges: await Promise.all(stated), next }
    },
  }
}

function toEvidence(
  { event, limitMicros, lines, measuredMicros, outcome, price, usage }: BilledCharge,
  events: readonly StoredEvent[],
  digest: Digest,
): StatedCharge["evidence"] {
  const shown = toChained(events, event.version, digest)
  const charging = { version: event.version, shown }
  return { outcome, usage, price, lines, measuredMicros, limitMicros, event: charging }
}

function toChained(
  events: readonly StoredEvent[],
  version: number,
  digest: Digest,
): ChainedEvent | null {
  const [before, event] = toShownEvents(digest, events.slice(0, version)).slice(version - 2)
  // No first event charges.
  return event === undefined || before === undefined ? null : { event, previousHash: before.hash }
}

function toStatedFinding(
  charge: BilledCharge | undefined,
  findings: readonly Finding[],
): StatedFinding | null {
  const isItem = findings.some(({ kind }) => kind.startsWith("charge-row-"))
  if (charge === undefined) {
    const code = isItem ? "not-in-log" : toUntold(findings)
    return { code, expectedMicros: null }
  }
  const { finding, recomputedMicros: expectedMicros } = charge
  if (isItem) return { code: "item-differs", expectedMicros }
  if (finding === null) return null
  return { code: isObstacle(finding) ? "not-judged" : "charge-differs", expectedMicros }
}

/** Only a newer release knows what is an obstacle here; everything else is damage. */
function toUntold(findings: readonly Finding[]): StatedFinding["code"] {
  return findings.every(isObstacle) ? "not-judged" : "log-damaged"
}
