/**
 * The oracle: holds the ledger, the upstream's purchases, the stored log and the artifacts against
 * each other once every fault is over and every task ended. It knows nothing of how the engine
 * works; each broken promise is a sentence, and none of them is a matter of degree.
 */
import { createAudit, describeFinding } from "@safelight/audit"
import {
  fromSnapshot,
  isTerminal,
  type ArtifactStorage,
  type ScannedStream,
  type Storage,
  type StoredEvent,
  type Task,
} from "@safelight/core"
import { sha256 } from "@safelight/engine"
import type { AccountPlan } from "./accounts.ts"
import type { AudienceEvidence } from "./audience.ts"
import type { Creation } from "./creations.ts"
import { judgeArtifacts, type Artifacts } from "./judge-artifacts.ts"
import { judgeAudience } from "./judge-audience.ts"
import { judgeCharge, type Charges } from "./judge-charges.ts"
import { judgeBooks, toCharged, type Charged } from "./judge-books.ts"
import { judgeErasures, type ToldErasure } from "./judge-erasures.ts"
import { judgeHolds } from "./judge-holds.ts"
import { judgeKeys } from "./judge-keys.ts"
import { judgeLimits } from "./judge-limits.ts"
import { judgeHandles, judgePurchases, judgeTime, type Purchases } from "./judge-purchases.ts"
import { judgeRows } from "./judge-rows.ts"
import { judgeSignedLog } from "./judge-signed-log.ts"
import { judgeLabels, judgeTerms } from "./judge-terms.ts"
import type { LedgerEntries } from "./ledger.ts"
import { NEW_PRICES, ROUND_MODELS } from "./models.ts"
import { INPUT_RETENTION_MS } from "./node-orders.ts"
import { fromPrompt, type Plan, type PlannedRequest } from "./requests.ts"
import { isForgotten, type RoundFaults } from "./round-faults.ts"
import type { StoredFacts } from "./stored-facts.ts"
import { readStreams } from "./stored-tasks.ts"
import type { Told } from "./told.ts"

export interface Evidence extends AudienceEvidence {
  readonly ledger: LedgerEntries
  readonly storage: Storage
  readonly artifacts: ArtifactStorage
  readonly creations: readonly Creation[]
  readonly plan: Plan
  readonly told: Told
  readonly accounts: readonly AccountPlan[]
  /** Past what ports show. */
  readonly stored: StoredFacts
  readonly faults: RoundFaults
  /** With which all nodes sign the log. */
  readonly signingKey: string
  /** Every line that a node wrote to its log. */
  readonly logLines: readonly string[]
}

export interface Verdict {
  /** Empty where every promise was kept. */
  readonly broken: readonly string[]
  /** Tasks by how they ended. */
  readonly outcomes: ReadonlyMap<string, number>
  readonly tasks: number
  readonly events: number
  /** Operations that the upstream was made to create. */
  readonly purchases: number
  readonly chargedMicros: number
  /** The events of each task about which a promise was broken, in order, by its id. */
  readonly histories: ReadonlyMap<string, readonly StoredEvent[]>
}

interface Case extends Evidence, Artifacts, Charges, Purchases {
  readonly tasksByRequest: Map<number, string>
  /** Tasks whose erasure was asked for. */
  readonly erased: ReadonlyMap<string, ToldErasure>
  readonly charged: Charged[]
}

export async function judge(evidence: Evidence): Promise<Verdict> {
  const broken: string[] = []
  const bought = Map.groupBy(evidence.creations, ({ task }) => task)
  const fail = (words: string): void => void broken.push(words)
  const cancellations = Map.groupBy(evidence.told.cancellations, ({ task }) => task)
  const erased = new Map(evidence.told.erasures.map((each) => [each.task, each]))
  const open: Case = {
    ...evidence,
    bought,
    cancellations,
    prices: NEW_PRICES,
    erased,
    resolved: new Set(evidence.told.resolved),
    mayLackInputs: ({ id }) => erased.get(id)?.hadEnded === false,
    tasksByRequest: new Map(),
    charged: [],
    fail,
  }
  const outcomes = new Map<string, number>()
  const known = new Map<string, readonly StoredEvent[]>()
  const histories = new Map<string, readonly StoredEvent[]>()
  for await (const stream of readStreams(evidence.storage)) {
    known.set(stream.id, stream.events)
    const brokenBefore = broken.length
    const outcome = await judgeStream(open, stream)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    if (broken.length > brokenBefore) histories.set(stream.id, stream.events)
  }
  judgeAcceptances(open, known)
  judgeAccounts(open)
  judgeHandles(open, { histories: known, logLines: evidence.logLines })
  await judgeAudience(evidence, known, fail)
  for (const { task, createdAt } of evidence.creations) {
    if (known.has(task) || isForgotten(evidence.faults, createdAt)) continue
    fail(`bought for unknown task ${task}`)
  }
  const audited = await judgeLog(open)
  await judgeSignedLog(open)
  const { tasks, events } = audited
  const purchases = evidence.creations.length
  const chargedMicros = audited.chargeMicros.total
  return { broken, outcomes, tasks, events, purchases, chargedMicros, histories }
}

async function judgeStream(open: Case, stream: ScannedStream): Promise<string> {
  const { id, row } = stream
  if (row === undefined) {
    open.fail(`task ${id} has no row`)
    return "orphaned"
  }
  const task = fromSnapshot(row.snapshot)
  const planned = await judgeRequest(open, task)
  if (!isTerminal(task)) open.fail(`task ${id} never ended: ${task.state}`)
  judgePurchases(open, task)
  judgeTime(open, task, stream)
  judgeCharge(open, task, planned, stream)
  await judgeArtifacts(open, task)
  await judgeBesides(open, task, planned, stream)
  return task.error === null ? task.state : `failed ${task.error.code}`
}

const DAY_MS = 86_400_000

/** Past every moment that a sweep of a round is as of. */
const SWEPT_AHEAD_MS = 17 * DAY_MS

/** What is kept of a task beside its events. */
async function judgeBesides(
  open: Case,
  task: Task,
  planned: PlannedRequest | undefined,
  { events }: ScannedStream,
): Promise<void> {
  const { charged, erased, fail, storage, stored, told } = open
  const labels = await storage.readLabels(task.id)
  charged.push(...toCharged(events, labels["batch"]))
  const sweptAt = Date.now() + SWEPT_AHEAD_MS
  const retention = { inputRetentionMs: INPUT_RETENTION_MS, removeAfterMs: DAY_MS, sweptAt }
  judgeRows(stored.rows, retention, task, fail)
  const { holds, refusedHolds } = told
  judgeHolds(task, events, { ...open, holds, refusedHolds })
  if (planned === undefined) return
  judgeTerms(task, planned, told.quotes, fail)
  if (!erased.has(task.id)) judgeLabels(task, planned, labels, fail)
}

/** What was told of accounts and keys, and what was erased. */
function judgeAccounts(open: Case): void {
  const { charged, fail, faults, logLines, stored, told } = open
  judgeBooks(told.books, charged, fail)
  judgeKeys({ ...open, ...told })
  judgeLimits(told.samples, told.limits, faults, fail)
  const texts = [...stored.texts, { place: "a log", text: logLines.join("\n") }]
  judgeErasures({ ...open, erasures: told.erasures, texts, besides: stored.besides })
}

/** There is no task without a request, and one alone for each; resolves to that request. */
async function judgeRequest(
  { erased, fail, ledger, plan, storage, tasksByRequest }: Case,
  { account, id, model }: Task,
): Promise<PlannedRequest | undefined> {
  const input = await storage.readInput({ task: id, name: "request" })
  const { prompt = "" } = JSON.parse(input?.body ?? "{}") as { prompt?: string }
  const request = fromPrompt(prompt) ?? erased.get(id)?.request
  if (request === undefined || !ledger.asked.has(request)) {
    fail(`nobody asked for ${id}`)
    return undefined
  }
  const other = tasksByRequest.get(request)
  if (other !== undefined) fail(`request ${request} was made two tasks, ${other} and ${id}`)
  tasksByRequest.set(request, id)
  const planned = plan(request)
  if (account !== planned.account || model !== planned.model) {
    fail(`request ${request} of ${planned.account} was made a task of ${account}, by ${model}`)
  }
  return planned
}

/** Every 202 names the one task of its request, and it is there unless it was forgotten. */
function judgeAcceptances(
  { faults, ledger, tasksByRequest, fail }: Case,
  known: ReadonlyMap<string, unknown>,
): void {
  for (const [request, tasks] of ledger.accepted) {
    for (const task of tasks) {
      const isLost = !known.has(task)
      if (isLost && isForgotten(faults, ledger.acceptedAt.get(task) ?? 0)) continue
      if (isLost) fail(`accepted task ${task} of request ${request} is lost`)
      else if (tasksByRequest.get(request) !== task) {
        fail(`request ${request} was answered with ${task}, which is not its task`)
      }
    }
  }
}

/** Every history legal, every row and total what the log makes. */
async function judgeLog({ storage, fail }: Case) {
  const audit = createAudit({ storage, digest: sha256, prices: NEW_PRICES, models: ROUND_MODELS })
  const verified = await audit.verify()
  const replayed = await audit.replay()
  for (const report of [verified, replayed]) {
    if (report.outcome === "whole") continue
    fail(`the audit says ${report.outcome}, with ${report.findingCount} findings`)
    for (const finding of report.findings) fail(describeFinding(finding))
  }
  return replayed
}
