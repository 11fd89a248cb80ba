/**
 * A copy of a database, such as a restored backup, compared with the original while that still exists, and judged by
 * itself where it does not. Task by task, in the order of their ids; a live original may have gone on meanwhile. Chains are
 * compared by their hashes and not proved: `verify` does that.
 */
import {
  advance,
  emptyTask,
  isSafelightError,
  isTerminal,
  openEvent,
  POSITIVE,
  takeIntegers,
  type ScannedStream,
  type Storage,
  type StoredEvent,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import { createDrillLedger, type DrillLedger, type DrillReport } from "./drill-report.ts"
import { judgePurchase } from "./judge-purchase.ts"
import { listPurchases, type Purchase } from "./list-purchases.ts"
import { mergeStreams } from "./merge-streams.ts"
import { toNextStep, type NextStep, type PurchasingChannels } from "./next-step.ts"
import { PAGE_STREAMS } from "./read-pages.ts"

export interface DrillOptions {
  readonly copy: Pick<Storage, "scan">
  /** What it is a copy of, if that still exists. */
  readonly original?: Pick<Storage, "scan"> | undefined
  /** Those that the copy would be served with. */
  readonly channels: PurchasingChannels
  /** When it would be served, ms. */
  readonly now: number
  /** Streams of a page, of which two of each database are in memory at once; 200 by default. */
  readonly pageStreams?: number
  /** Tasks so far. */
  readonly onProgress?: (tasks: number) => void
}

/**
 * Reads alone. Memory is bounded by the pages, and the numbers of accounts and channels. Rejects with
 * `invalid-configuration` if a number is not a positive integer, and as the storages do.
 */
export async function compareCopy(options: DrillOptions): Promise<DrillReport> {
  const { copy, onProgress, original } = options
  const bounds = { pageStreams: POSITIVE }
  const { pageStreams } = takeIntegers({ bounds, defaults: { pageStreams: PAGE_STREAMS }, options })
  const ledger = createDrillLedger(original !== undefined)
  let tasks = 0
  for await (const pair of mergeStreams(copy, original, pageStreams)) {
    if (pair.original !== undefined) ledger.original.count(pair.original.events)
    if (pair.copy === undefined) tellLost(pair.original, ledger)
    else tellCopied(pair.copy, original === undefined ? pair.copy : pair.original, options, ledger)
    tasks += 1
    if (tasks % pageStreams === 0) onProgress?.(tasks)
  }
  return ledger.toReport()
}

/** A task as its events make it. */
interface Told {
  readonly task: Task
  readonly events: readonly TaskEvent[]
}

/** Undefined, and counted, if its events can't be read. */
function tell({ events: stored, id }: ScannedStream, ledger: DrillLedger): Told | undefined {
  const task = emptyTask(id)
  try {
    const events = stored.map(openEvent)
    if (events.length > 0 && events.every((event) => advance(task, event))) return { task, events }
  } catch (error) {
    if (!isSafelightError(error)) throw error
  }
  ledger.untold()
  return undefined
}

function tellLost(original: ScannedStream | undefined, ledger: DrillLedger): void {
  if (original === undefined) return
  const told = tell(original, ledger)
  ledger.lose(original.events, told === undefined || isTerminal(told.task))
  if (told === undefined) return
  forgetCharges(told, 0, ledger)
  for (const purchase of listPurchases(original.id, told.events)) ledger.buy(purchase, "forgotten")
}

function tellCopied(
  copy: ScannedStream,
  original: ScannedStream | undefined,
  options: DrillOptions,
  ledger: DrillLedger,
): void {
  ledger.copy.count(copy.events)
  const missing = compareEvents(copy, original?.events ?? [], ledger)
  if (missing.length > 0) ledger.fallBehind(missing)
  const told = tell(copy, ledger)
  if (told === undefined) return
  const { task } = told
  const next = isTerminal(task) ? undefined : toNextStep(task, options.channels, options.now)
  ledger.place(task.state, next)
  const later = original === undefined || missing.length === 0 ? undefined : tell(original, ledger)
  if (later === undefined) return
  forgetCharges(later, task.version, ledger)
  if (next !== undefined) tellUnfinished({ told, next, later }, options, ledger)
}

/** What the original did with a task that is not finished in the copy. */
function tellUnfinished(
  { later, next, told }: { readonly told: Told; readonly next: NextStep; readonly later: Told },
  { channels, now }: DrillOptions,
  ledger: DrillLedger,
): void {
  const { task } = told
  if (isTerminal(later.task)) ledger.reopen(task.reservationMicros)
  const openKey = task.state === "queued" ? undefined : task.dispatch?.upstreamKey
  for (const purchase of listLacking(told, later, openKey)) {
    ledger.buy(purchase, judgePurchase(purchase, { task, next, openKey }, channels, now))
  }
}

/** The purchases of the original that the copy does not know, or waits for. */
function listLacking(
  { events, task: { id } }: Told,
  later: Told,
  openKey: string | undefined,
): readonly Purchase[] {
  const known = new Set(listPurchases(id, events).map(({ upstreamKey }) => upstreamKey))
  return listPurchases(id, later.events).filter(
    ({ upstreamKey }) => upstreamKey === openKey || !known.has(upstreamKey),
  )
}

/** What the copy lacks of a task; nothing, and a finding, if the original's events don't begin with those of the copy. */
function compareEvents(
  { events, id: task }: ScannedStream,
  originals: readonly StoredEvent[],
  { find }: DrillLedger,
): readonly StoredEvent[] {
  const place = events.findIndex(({ hash }, index) => hash !== originals[index]?.hash)
  const [mine, other] = [events[place], originals[place]]
  if (mine === undefined) return originals.slice(events.length)
  const { hash: found, version } = mine
  if (other === undefined) {
    const newest = events.at(-1)?.version ?? version
    find({ kind: "ahead", task, version: newest, expected: originals.at(-1)?.version ?? 0 })
  } else find({ kind: "forked", task, version, expected: other.hash, found })
  return []
}

/** What the events from the place `from` on charge. */
function forgetCharges({ events, task }: Told, from: number, { forget }: DrillLedger): void {
  for (const { data, type } of events.slice(from)) {
    if (type !== "succeeded" && type !== "failed") continue
    if (data.chargeMicros > 0) forget(task.account, data.chargeMicros)
  }
}
