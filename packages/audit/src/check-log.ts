/**
 * A log in a file, judged without a database: every chain, that each event may follow the one before, the commitments
 * to requests that are there, and every charge again from the prices in the file. The file is read twice, since
 * definitions stand behind the tasks that name them. Unlike an import it takes unfinished tasks, and goes on after a
 * fault.
 */
import {
  DEFAULT_PRICES,
  emptyTask,
  MODELS,
  withKeptPrices,
  type Definition,
  type Digest,
  type Model,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import { toEvents } from "./check-export.ts"
import type { RecordOf } from "./export-format.ts"
import { KEPT_FINDINGS } from "./kept-findings.ts"
import { findDefinitionFault } from "./named-definitions.ts"
import { readExport } from "./read-export.ts"
import { follow } from "./follow.ts"
import { hashRequest } from "./hash-request.ts"
import { findChargeFault } from "./recompute-charge.ts"
import { toReplayRules } from "./replay-rules.ts"
import type { ReplayRules } from "./replay-stream.ts"
import { createLedger, type AuditProgress, type AuditReport, type Ledger } from "./report.ts"
import { verifyEvents } from "./verify-events.ts"

export interface LogCheckOptions {
  /** Opens the file at its beginning; called twice. */
  readonly open: () => AsyncIterable<Uint8Array>
  readonly digest: Digest
  /** Those with an arithmetic of their own; core's by default. */
  readonly models?: readonly Model[]
  /** Is handed the first line, the checkpoint if there is one, and every task, as they come. */
  readonly onRecord?: (record: LogRecord) => void
  /** Is handed the events of every task, but for those that can't be read; the next task waits for it. */
  readonly onTask?: (task: string, events: readonly TaskEvent[]) => Promise<void>
  readonly onProgress?: (progress: AuditProgress) => void
}

export type LogRecord = RecordOf<"checkpoint"> | RecordOf<"header"> | RecordOf<"stream">

/** Tasks between two reports of progress. */
const PROGRESS_TASKS = 1_000

/**
 * Faults of the log are in the report. Rejects with `export-refused` if the file is no export, was cut off or does not
 * have the digest that it says, and as the file does.
 */
export async function checkLog(options: LogCheckOptions): Promise<AuditReport> {
  const { digest, models = MODELS, onProgress, onRecord, onTask, open } = options
  const ledger = createLedger(KEPT_FINDINGS)
  const definitions = await readDefinitions(options, ledger)
  const prices = withKeptPrices(DEFAULT_PRICES, definitions, digest)
  const rules = toReplayRules({ digest, models, prices })
  const known = new Set(definitions.map(({ digest: name }) => name))
  let tasks = 0
  for await (const { record } of readExport(open())) {
    if (record.kind === "stream") {
      const { events, task } = checkStreamRecord(record, { digest, ledger, rules })
      if (task !== undefined) checkDefinition(task, known, ledger)
      await onTask?.(record.task, events)
      tasks += 1
      if (tasks % PROGRESS_TASKS === 0) onProgress?.(ledger.toProgress())
    }
    if (record.kind === "header" || record.kind === "checkpoint" || record.kind === "stream") {
      onRecord?.(record)
    }
  }
  return ledger.toReport()
}

/** Those that are what they say. */
async function readDefinitions(
  { digest, open }: LogCheckOptions,
  { find }: Ledger,
): Promise<readonly Definition[]> {
  const definitions: Definition[] = []
  for await (const { record } of readExport(open())) {
    if (record.kind !== "definition") continue
    const { definition } = record
    if (findDefinitionFault(definition, digest) === undefined) {
      definitions.push(definition)
      continue
    }
    const { body, digest: expected } = definition
    const place = { task: null, version: null }
    find({ kind: "definition-altered", ...place, expected, found: digest([body]) })
  }
  return definitions
}

interface StreamRules {
  readonly digest: Digest
  readonly ledger: Ledger
  readonly rules: ReplayRules
}

interface CheckedRecord {
  /** Those that can be read. */
  readonly events: readonly TaskEvent[]
  /** Absent where nobody knows it. */
  readonly task?: Task
}

function checkStreamRecord(
  record: RecordOf<"stream">,
  { digest, ledger, rules }: StreamRules,
): CheckedRecord {
  const stored = toEvents(record)
  ledger.countTask(stored.length)
  // It gives the charges to the ledger.
  const events = verifyEvents(stored, digest, ledger)
  if (events.length !== stored.length || events.length === 0) return { events }
  const task = emptyTask(record.task)
  for (const [place, event] of events.entries()) {
    if (!checkEvent(task, event, { version: place + 1, ledger, rules })) return { events }
  }
  checkCommitment(record, task, { digest, ledger })
  return { events, task }
}

/** False if the event may not follow. */
function checkEvent(
  task: Task,
  event: TaskEvent,
  { ledger, rules, version }: Omit<StreamRules, "digest"> & { readonly version: number },
): boolean {
  if (!follow(task, event, version, ledger.find)) return false
  if (event.type !== "succeeded" && event.type !== "failed") return true
  const fault = findChargeFault(task, rules.prices, rules.models)
  if (fault !== undefined) ledger.find(fault)
  return true
}

function checkCommitment(
  { inputs }: RecordOf<"stream">,
  { commitment: expected, id }: Task,
  { digest, ledger }: Omit<StreamRules, "rules">,
): void {
  const found = hashRequest(inputs, digest)
  if (found === undefined || found === expected) return
  ledger.find({ kind: "commitment-differs", task: id, version: 1, expected, found })
}

function checkDefinition(
  { definition: expected, id }: Task,
  known: ReadonlySet<string>,
  { find }: Ledger,
): void {
  if (expected === undefined || known.has(expected)) return
  find({ kind: "definition-unknown", task: id, version: 1, expected, found: null })
}
