/**
 * What must hold of every combination: the stub's ledger against the log, the bill and what was kept.
 * Each rule answers with what is wrong, in words that need no other file; the stub's ledger says what
 * was bought, and the log is never asked for it.
 */
import { hash } from "node:crypto"
import { createAudit } from "@safelight/audit"
import { DEFAULT_PRICES, MODELS } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { BILLED_FAULTS, BROKEN_PROMISES, SIGNERS_BY_JOB, UNBILLED_FAULTS } from "./lanes.ts"
import { RUN_MS, type Played } from "./play.ts"

type Rule = (played: Played) => string | undefined | Promise<string | undefined>

/** Whether the combination's fault is one of these of its provider's own. */
function isOneOf(
  faults: Readonly<Record<string, readonly string[]>>,
  { combination: { fault, lane } }: Played,
): boolean {
  const own = faults[lane.stub] ?? []
  return fault?.place === "own" && own.includes(fault.name)
}

/** Only where a fault proves that nothing was produced and billed may the work be bought once more. */
const buysOnce: Rule = (played) => {
  const { length } = played.purchases
  const isExcused = isOneOf(UNBILLED_FAULTS, played) || isOneOf(BROKEN_PROMISES, played)
  return length <= 1 || isExcused ? undefined : `bought ${length} times`
}

/** A key is the one thing by which a repeat can be known. */
const sendsEachKeyOnce: Rule = ({ combination, events, purchases }) => {
  if (combination.lane.repeats !== "unkeyed") return
  const keys = events.flatMap((each) => (each.type === "dispatched" ? each.data.upstreamKey : []))
  if (new Set(keys).size !== keys.length) return "a key was sent twice to a provider without keys"
  return purchases.length > keys.length ? "bought without an intent in the log" : undefined
}

const ends: Rule = ({ task }) =>
  task.finishedAt > 0 ? undefined : `left in state ${task.state} for good`

/** Whether the account has cancelled the task, and it ended so. */
function isCancelled({ combination, task }: Played): boolean {
  return combination.cancelAt !== undefined && task.error?.code === "task_cancelled"
}

/** These ends say nothing of what became of a purchase. */
const UNEXPLAINED: ReadonlySet<string> = new Set(["no_output", "task_cancelled"])

/** What was bought is kept, or the log says why it is not. */
const accountsForPurchases: Rule = ({ events, log, purchases, task }) => {
  if (purchases.length === 0 || task.state.startsWith("succeeded")) return
  // A refusal names itself in the event that ends the task, also where the process dies right after it.
  const isRefused = task.error !== null && !UNEXPLAINED.has(task.error.code)
  const isTold = isRefused || events.some(({ type }) => type === "accepted" || type === "doubted")
  const isLogged = log.some(({ fields, level }) => level !== "info" && fields["task"] === task.id)
  return isTold || isLogged ? undefined : "a purchase was dropped without a line"
}

/** What failed is charged only where its provider bills it; what is in doubt is failed as such. */
const failsUncharged: Rule = (played) => {
  const { chargeMicros, error } = played.task
  if (error === null) return
  if (chargeMicros !== 0 && !isOneOf(BILLED_FAULTS, played)) {
    return `${chargeMicros} charged for a task that failed`
  }
  const isDoubted = played.events.at(-2)?.type === "doubted"
  const isKnown = error.code === "upstream_outcome_unknown" || isCancelled(played)
  if (isDoubted && !isKnown) return `doubted, then ${error.code}`
  return undefined
}

const chargesOnce: Rule = async ({ events, storage, task }) => {
  const finals = events.filter(({ type }) => type === "succeeded" || type === "failed")
  if (finals.length !== 1) return `it ended ${finals.length} times`
  const sums = await storage.sumCharges({
    account: task.account,
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
  })
  const billed = sums.reduce((total, { chargeMicros }) => total + chargeMicros, 0)
  if (billed !== task.chargeMicros) return `the bill says ${billed}, the task ${task.chargeMicros}`
  if (task.state.startsWith("succeeded") && billed === 0) return "it succeeded for nothing"
  return undefined
}

/** Told from the bytes: the provider's words for them are part of what goes wrong. */
const MAGIC: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": (bytes) => bytes.subarray(0, 4).toString("latin1") === "\u0089PNG",
  "image/jpeg": (bytes) => bytes.subarray(0, 2).toString("hex") === "ffd8",
  "image/webp": (bytes) => bytes.subarray(8, 12).toString("latin1") === "WEBP",
  "video/mp4": (bytes) => bytes.subarray(4, 8).toString("latin1") === "ftyp",
}

const keepsWhatWasMade: Rule = ({ linked, stored, task }) => {
  const isSuccess = task.state.startsWith("succeeded")
  if (isSuccess !== task.artifacts.length > 0) return `${task.artifacts.length} artifacts`
  for (const [position, { bytes, mimeType, sha256: digest }] of task.artifacts.entries()) {
    const kept = Buffer.from(stored[position] ?? [])
    if (kept.length !== bytes || hash("sha256", kept) !== digest) return "an artifact was changed"
    if (MAGIC[mimeType]?.(kept) !== true) return `what was kept is no ${mimeType}`
    const isWhole = linked.length === 0 || linked.some((each) => kept.equals(each))
    if (!isWhole) return "what was kept is not what the provider has"
  }
  return undefined
}

const leavesNoBytes: Rule = async ({ artifacts, task }) =>
  (await artifacts.list(task.id)).length === 0 ? undefined : "bytes are left for good"

const isDerivedFromItsLog: Rule = async ({ storage }) => {
  const audit = createAudit({ storage, digest: sha256, prices: DEFAULT_PRICES, models: MODELS })
  const [verified, replayed] = [await audit.verify(), await audit.replay()]
  const outcomes = [verified.outcome, replayed.outcome].join(", ")
  return outcomes === "whole, whole" ? undefined : `audit: ${outcomes}`
}

const leavesNothingOpen: Rule = ({ handlesLeft, waitsLeft }) => {
  if (waitsLeft > 0) return `${waitsLeft} waits are left`
  return handlesLeft.length > 0 ? `left open: ${handlesLeft.join(", ")}` : undefined
}

/**
 * A fault that passes costs time alone where keys are honoured or looked up; elsewhere it may leave a
 * doubt, of which then the log speaks.
 */
const outlivesWhatPasses: Rule = ({ combination, events, purchases, task }) => {
  const { fault, lane, times } = combination
  const isPassing = fault === null || (fault.place !== "own" && times === 1)
  if (!isPassing || task.state.startsWith("succeeded")) return
  const isDoubted = events.some(({ type }) => type === "doubted")
  if (lane.repeats === "unkeyed" && isDoubted) return
  return `failed with ${task.error?.code} after ${purchases.length} purchases, though all passed`
}

/** A client is told whose fault it was: no output of a provider's is our own error. */
const blamesTheProvider: Rule = ({ combination, task }) => {
  if (combination.fault?.place !== "download" || task.error === null) return
  const { code } = task.error
  const isTold = code === "no_output" || code === "upstream_outcome_unknown"
  return isTold ? undefined : `failed with ${code} for an output that can't be had`
}

/** What tells of the work nothing that anybody may believe. */
const UNTOLD: ReadonlySet<string> = new Set(["forged", "foreign", "lost", "stale"])

/** Whether a provider's word on the work has come, that it signed, for the engine to act on. */
function isVouchedFor({ combination: { crash, fault, lane, times } }: Played): boolean {
  if (lane.webhooks !== "signed") return false
  if (fault === null) return true
  const isByJob = SIGNERS_BY_JOB.includes(lane.stub)
  if (fault.place === "skewMs") return isByJob
  if (fault.place === "poll") return times === 1
  // The one before the reply is tried but once, and the process may die over it.
  if (fault.name === "early") return crash === null
  if (fault.place !== "webhook") return true
  return !UNTOLD.has(fault.name) || (isByJob && fault.name === "stale")
}

/** A purchase whose answer was lost is adopted by its webhook, and so never given up. */
const healsWhatIsVouchedFor: Rule = (played) => {
  const { error } = played.task
  if (played.purchases.length === 0 || !isVouchedFor(played)) return
  // What was not billed is bought once more, and the process may die before that is.
  if (isOneOf(UNBILLED_FAULTS, played) && played.combination.crash !== null) return
  if (error?.code === "upstream_outcome_unknown") return "given up, though its provider told of it"
  return undefined
}

/** Time stands still while a webhook is on its way, or the matrix's clock would jump past it. */
const healsAtOnce: Rule = (played) => {
  const { combination, events, purchases } = played
  const { crash, fault } = combination
  const isLost = fault?.place === "create" && !fault.name.startsWith("busy")
  const [purchase] = purchases
  if (!isLost || crash !== null || purchase === undefined || !isVouchedFor(played)) return
  const accepted = events.find(({ type }) => type === "accepted")
  if (accepted === undefined) return "its webhook adopted nothing"
  const lateMs = accepted.at - purchase.at - RUN_MS
  return lateMs > 0 ? `adopted ${lateMs} ms after the work was done` : undefined
}

/** Whether the truth may have come in the end, if not for certain. */
function mayBeVouchedFor(played: Played): boolean {
  const { fault, lane } = played.combination
  if (lane.webhooks !== "signed") return false
  // What is signed ahead of time and sent until then is believed in the end.
  const isAhead = fault?.place === "skewMs" && Number(fault.name) > 0
  return isVouchedFor(played) || isAhead || fault?.place === "poll" || fault?.name === "early"
}

/** What nobody signed, or somebody changed, adopts nothing where a repeat is not known. */
const believesOnlySigners: Rule = (played) => {
  const { combination, events } = played
  if (combination.lane.repeats !== "unkeyed" || mayBeVouchedFor(played)) return
  const doubtedAt = events.findIndex(({ type }) => type === "doubted")
  const isAdopted = doubtedAt !== -1 && events[doubtedAt + 1]?.type === "accepted"
  return isAdopted ? "adopted without its provider's word" : undefined
}

/** A webhook that comes once more after the end, or in part, changes nothing of it. */
const decidesOnce: Rule = ({ combination, cutCallbacks, eventsAfterCallbacks, eventsAtEnd }) => {
  if (eventsAfterCallbacks !== eventsAtEnd) return "a webhook changed what was decided"
  const believed = combination.lane.webhooks === "signed" ? ["forged"] : ["taken"]
  const other = cutCallbacks.find((each) => !believed.includes(each))
  return other === undefined ? undefined : `half of a webhook was ${other}`
}

/** Were nothing delivered, the rules on webhooks would hold of themselves. */
const isCalledBack: Rule = ({ combination: { crash, fault, lane }, deliveries }) => {
  if (lane.webhooks === null) return deliveries.length > 0 ? "called back unasked" : undefined
  if (fault !== null || crash !== null) return
  const statuses = deliveries.map(({ status }) => status)
  const isTaken = statuses.length > 0 && statuses.every((status) => status === 204)
  return isTaken ? undefined : `webhooks were answered ${statuses.join(", ") || "never"}`
}

/** A cancellation after the end changes nothing, and tells how it ended. */
const tellsTheEnd: Rule = ({ cancelledAgain, combination, task }) => {
  if (combination.cancelAt === undefined) return
  if (cancelledAgain?.task.version !== task.version) return "a cancellation changed what had ended"
  const isEnd = task.error?.code === "task_cancelled"
  const isTrue = (cancelledAgain.outcome === "too-late") !== isEnd
  return isTrue ? undefined : `told to be ${cancelledAgain.outcome}, and ${task.state}`
}

/** What was told while the task went on holds for good. */
const keepsToWhatItTold: Rule = ({ cancellations, cancelledAgain, task }) => {
  for (const { outcome, task: shown } of cancellations) {
    const isEnd = outcome === "cancelled" || outcome === "stopped"
    if (shown.finishedAt === 0 && isEnd) return `${outcome} in vain`
    if (shown.finishedAt === 0) continue
    if (shown.version !== task.version) return "told of an end that was none"
    if (outcome !== cancelledAgain?.outcome) return `${outcome}, then another outcome`
  }
  return undefined
}

/** What is cancelled for free was not bought, and what is followed is given up only if it was stopped. */
const cancelsNoPurchase: Rule = (played) => {
  const { cancelledAgain, events, log, purchases } = played
  const isUnbilled = isOneOf(UNBILLED_FAULTS, played) || isOneOf(BROKEN_PROMISES, played)
  const isFree = cancelledAgain?.outcome === "cancelled"
  if (isFree && purchases.length > 0 && !isUnbilled) return "cancelled for free, and bought"
  const before = events.findLast(({ type }) => type !== "failed" && type !== "expired")?.type
  const isFollowed = before === "accepted" || before === "progressed"
  const wasAsked = log.some(({ message }) => message === "cancel")
  return isCancelled(played) && isFollowed && !wasAsked ? "given up while followed" : undefined
}

const RULES: Readonly<Record<string, Rule>> = {
  buysOnce,
  sendsEachKeyOnce,
  ends,
  accountsForPurchases,
  failsUncharged,
  chargesOnce,
  keepsWhatWasMade,
  leavesNoBytes,
  isDerivedFromItsLog,
  leavesNothingOpen,
  outlivesWhatPasses,
  blamesTheProvider,
  healsWhatIsVouchedFor,
  healsAtOnce,
  believesOnlySigners,
  decidesOnce,
  isCalledBack,
  tellsTheEnd,
  keepsToWhatItTold,
  cancelsNoPurchase,
}

/** What a cancelled task need not come to. */
const RULES_OF_THE_REST: ReadonlySet<Rule> = new Set([
  outlivesWhatPasses,
  blamesTheProvider,
  healsWhatIsVouchedFor,
  healsAtOnce,
  isCalledBack,
])

/** What is wrong, each with the rule that says so; nothing if the ledger holds. */
export async function judge(played: Played): Promise<readonly string[]> {
  const verdicts = Object.entries(RULES).map(async ([name, rule]) => {
    if (isCancelled(played) && RULES_OF_THE_REST.has(rule)) return []
    const wrong = await rule(played)
    return wrong === undefined ? [] : [`${name}: ${wrong}`]
  })
  return (await Promise.all(verdicts)).flat()
}
