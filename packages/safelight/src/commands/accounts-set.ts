/**
 * `safelight accounts set`: what an account may do. Only the options that are given change anything. A service
 * on the same data obeys within a second.
 */
import {
  CHANGED_WITHOUT_KEY,
  SETTING_BOUNDS,
  type Rate,
  type SettingsChange,
} from "@safelight/core"
import { refused } from "../errors/command-error.ts"
import { parseAccountName } from "../command-line/account-name.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand, type ValuesOf } from "../command-line/define-command.ts"
import {
  countWithin,
  durationWithin,
  orWord,
  parseCount,
  parseRate,
  parseYesNo,
} from "../command-line/option-values.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { formatAccount, toAccountRecord } from "../text/account-text.ts"

const { maxDurationMs: maxMs, maxRunningTasks, maxWeight, minDurationMs: minMs } = SETTING_BOUNDS
const rate = orWord("none", parseRate)
const count = orWord("none", parseCount)
const slots = orWord("none", countWithin(1, maxRunningTasks))
const weight = countWithin(1, maxWeight)
const someTime = durationWithin({ minMs, maxMs })
const [duration, hold] = [orWord("default", someTime), orWord("none", someTime)]

const SETTINGS = {
  createRate: option("<rate>", "submissions, as in 60/1m, or none", rate),
  readRate: option("<rate>", "other requests but downloads, as in 600/1m, or none", rate),
  contentRate: option("<rate>", "downloads, as in 600/1m, or none", rate),
  unfinishedTasks: option("<count>", "tasks that may be unfinished at once, or none", count),
  runningTasks: option("<count>", "tasks that channels may work on at once, or none", slots),
  weight: option("<number>", "its share while tasks of several accounts wait, 1 to 1000", weight),
  budgetMicros: option("<amount>", "what it may spend, in micro-units, or none", count),
  retention: option("<duration>", "how long artifacts are kept, or default", duration),
  maxRetention: option("<duration>", "how long it may hold artifacts, or none", hold),
  signContentUrls: option("<answer>", "content_url as a private link, yes or no", parseYesNo),
  suspend: flag("refuse every request of the account", { conflictsWith: "resume" }),
  stop: flag("with --suspend: its unfinished tasks fail and are not charged"),
  resume: flag("answer a suspended account again"),
}

export const command = defineCommand({
  name: "accounts set",
  description: "set what an account may do; what is not named stays as it is",
  arguments: { name: argument("the account; it is made if it is new", parseAccountName) },
  options: { ...SETTINGS, json: flag("print the account as JSON"), ...DATA_OPTIONS },
  async run({ arguments: { name }, options, context }) {
    const change = toChange(options)
    if (Object.keys(change).length === 0) {
      const message = "nothing to set: name at least one setting; `safelight accounts set --help`"
      throw refused(message)
    }
    if (options.stop === true && options.suspend !== true) {
      throw refused("--stop goes with --suspend: else new tasks take the place of those that end")
    }
    const { command: by } = CHANGED_WITHOUT_KEY
    const request = { mayCreate: true }
    const view = await useOperator(options, context, request, async ({ accounts }) => {
      const before = await accounts.findAccount(name)
      // A mistyped name makes an account that nobody uses.
      if (before === undefined) context.printError(`account "${name}" is new\n`)
      const after = await accounts.setAccount(name, change, by)
      if (options.stop !== true) return after
      const stopped = await accounts.stopTasks(name, by)
      context.printError(`${stopped} tasks stopped\n`)
      return (await accounts.findAccount(name)) ?? after
    })
    printResult(options, context, toAccountRecord(view), () => formatAccount(view))
  },
})

type Settings = ValuesOf<typeof SETTINGS>

/** Only the settings that are given. */
function toChange(options: Settings): SettingsChange {
  const { maxRetention, retention, signContentUrls, suspend, resume } = options
  const rates = toRates(options)
  return {
    ...(Object.keys(rates).length > 0 && { rates }),
    ...toBounds(options),
    ...(retention !== undefined && { retentionMs: toLimit(retention) }),
    ...(maxRetention !== undefined && { maxRetentionMs: toLimit(maxRetention) ?? 0 }),
    ...(signContentUrls !== undefined && { signsContentUrls: signContentUrls }),
    ...(suspend && { isSuspended: true }),
    ...(resume && { isSuspended: false }),
  }
}

function toBounds({
  budgetMicros,
  runningTasks,
  unfinishedTasks,
  weight: share,
}: Settings): SettingsChange {
  return {
    ...(unfinishedTasks !== undefined && { unfinishedTasks: toLimit(unfinishedTasks) }),
    ...(runningTasks !== undefined && { runningTasks: toLimit(runningTasks) }),
    ...(share !== undefined && { weight: share }),
    ...(budgetMicros !== undefined && { budgetMicros: toLimit(budgetMicros) }),
  }
}

/** Commander takes null for a mistake, so the option's value is a word until here. */
function toLimit<Value extends number | Rate>(given: Value | string): Value | null {
  return typeof given === "string" ? null : given
}

function toRates({
  contentRate,
  createRate,
  readRate,
}: Settings): NonNullable<SettingsChange["rates"]> {
  return {
    ...(createRate !== undefined && { create: toLimit(createRate) }),
    ...(readRate !== undefined && { read: toLimit(readRate) }),
    ...(contentRate !== undefined && { content: toLimit(contentRate) }),
  }
}
