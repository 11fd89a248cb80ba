/** What a restored copy lacks of its original, for people. */
import type {
  DrillFinding,
  DrillLoss,
  DrillReport,
  LostPurchase,
  PurchaseSums,
} from "@safelight/audit"
import { formatAmount, formatSeconds, formatShortUnits } from "./amount.ts"
import { formatCount } from "./count.ts"
import { toFoundRows, type DrillRow } from "./drill-rows.ts"

const FATES = {
  foundAgain: "found again",
  boughtTwice: "bought twice",
  abandoned: "paid in vain",
  forgotten: "forgotten",
  unclear: "unclear",
} as const satisfies Record<keyof DrillLoss["purchases"], string>

/** None without an original. */
export function toLossRows(
  { loss, newestAt }: DrillReport,
  currency: string | undefined,
): readonly DrillRow[] {
  if (loss === null) return []
  const { earlierTasks, lostMs, lostTasks, lostUnfinishedTasks, missingEvents } = loss
  const since = newestAt === null ? "all of it" : formatSeconds(lostMs)
  return [
    ["original", `${formatCount(loss.tasks, "task")}, ${formatCount(loss.events, "event")}`],
    [
      "",
      loss.isPrefix ? "the copy is an earlier state of it" : "the copy is no earlier state of it:",
    ],
    ...toFoundRows(loss, describe),
    ["lost", `${formatCount(missingEvents, "event")} of ${since}`],
    [
      "",
      `${formatCount(lostTasks, "task")} that it has never heard of, ${lostUnfinishedTasks} unfinished`,
    ],
    ["", `${formatCount(earlierTasks, "task")} that it knows in an earlier state`],
    ...toMoneyRows(loss, currency),
    ...toPurchaseRows(loss),
  ]
}

function describe(finding: DrillFinding): string {
  const { expected, kind, task, version } = finding
  if (kind === "ahead") return `task ${task} has event ${version}, the original ends at ${expected}`
  return `task ${task} differs from event ${version} on: ${finding.found}, and not ${expected}`
}

function toMoneyRows(
  { forgottenMicros, reopened }: DrillLoss,
  currency: string | undefined,
): readonly DrillRow[] {
  const { byAccount, total } = forgottenMicros
  const accounts = Object.keys(byAccount).length
  const charges =
    accounts === 0
      ? "none are forgotten"
      : `${formatAmount(total, currency)} of ${formatCount(accounts, "account")} are forgotten`
  if (reopened.tasks === 0) return [["charges", charges]]
  const held = formatAmount(reopened.reservationMicros, currency)
  const whose = formatCount(reopened.tasks, "task that had finished", "tasks that had finished")
  return [
    ["charges", charges],
    ["reserved", `${held} are held again, for ${whose}`],
  ]
}

function toPurchaseRows(loss: DrillLoss): readonly DrillRow[] {
  const fates = (Object.keys(FATES) as (keyof typeof FATES)[])
    .filter((fate) => loss.purchases[fate].purchases > 0)
    .map((fate): DrillRow => [FATES[fate], toSums(loss.purchases[fate])])
  const channels = Object.entries(loss.lostByChannel).map(
    ([channel, sums]) => `${channel}: ${toSums(sums)}`,
  )
  const { lostPurchases: findings } = loss
  const lost = Object.values(loss.lostByChannel)
  const findingCount = lost.reduce((sum, { purchases }) => sum + purchases, 0)
  return [
    ...fates,
    ...channels.map((words, index) => [index === 0 ? "lost at" : "", words] as const),
    ...toFoundRows({ findingCount, findings }, describePurchase),
  ]
}

function toSums({ costMicros, purchases, unknownCosts }: PurchaseSums): string {
  const unknown = unknownCosts === 0 ? "" : `, and ${unknownCosts} of them at a cost nobody knows`
  return `${formatCount(purchases, "purchase")}, USD ${formatShortUnits(costMicros)}${unknown}`
}

function describePurchase(purchase: LostPurchase): string {
  const { channel, fate, operation, task, upstreamKey } = purchase
  const name = operation === null ? `key ${upstreamKey}` : `operation ${JSON.stringify(operation)}`
  return `${FATES[fate]}: ${channel} ${name}, of task ${task}`
}
