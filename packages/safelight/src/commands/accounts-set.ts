/**
 * `safelight accounts set`: what an account may do. Only the options that are given change anything. A service
 * on the same data obeys within a second.
 */
import { SETTING_BOUNDS, type Rate, type SettingsChange, type Storage } from "@safelight/core"
import { Command, Option } from "commander"
import { refused } from "../command-error.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { parseAccountName } from "./account-name.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import {
  countWithin,
  durationWithin,
  orWord,
  parseCount,
  parseRate,
  parseYesNo,
} from "./option-values.ts"
import type { CommandContext } from "./command-context.ts"

interface SettingOptions {
  readonly createRate?: Rate | "none"
  readonly readRate?: Rate | "none"
  readonly contentRate?: Rate | "none"
  readonly unfinishedTasks?: number | "none"
  readonly runningTasks?: number | "none"
  readonly weight?: number
  readonly budgetMicros?: number | "none"
  readonly retention?: number | "default"
  readonly maxRetention?: number | "none"
  readonly signContentUrls?: boolean
  readonly suspend?: true
  readonly resume?: true
  readonly stop?: true
}

interface Options extends DataOptions, SettingOptions {
  readonly json?: true
}

const { maxDurationMs: maxMs, maxRunningTasks, maxWeight, minDurationMs: minMs } = SETTING_BOUNDS

export function createAccountsSetCommand(context: CommandContext): Command {
  const rate = orWord("none", parseRate)
  const count = orWord("none", parseCount)
  const slots = orWord("none", countWithin(1, maxRunningTasks))
  const weight = countWithin(1, maxWeight)
  const someTime = durationWithin({ minMs, maxMs })
  const [duration, hold] = [orWord("default", someTime), orWord("none", someTime)]
  const command = new Command("set")
    .description("set what an account may do; what is not named stays as it is")
    .argument("<name>", "the account; it is made if it is new", parseAccountName)
    .option("--create-rate <rate>", "submissions, as in 60/1m, or none", rate)
    .option("--read-rate <rate>", "other requests but downloads, as in 600/1m, or none", rate)
    .option("--content-rate <rate>", "downloads, as in 600/1m, or none", rate)
    .option("--unfinished-tasks <count>", "tasks that may be unfinished at once, or none", count)
    .option("--running-tasks <count>", "tasks that channels may work on at once, or none", slots)
    .option(
      "--weight <number>",
      "its share while tasks of several accounts wait, 1 to 1000",
      weight,
    )
    .option("--budget-micros <amount>", "what it may spend, in micro-units, or none", count)
    .option("--retention <duration>", "how long artifacts are kept, or default", duration)
    .option("--max-retention <duration>", "how long it may hold artifacts, or none", hold)
    .option("--sign-content-urls <answer>", "content_url as a private link, yes or no", parseYesNo)
    .addOption(new Option("--suspend", "refuse every request of the account").conflicts("resume"))
    .option("--stop", "with --suspend: its unfinished tasks fail and are not charged")
    .option("--resume", "answer a suspended account again")
    .option("--json", "print the account as JSON")
  return addDataOptions(command).action((name: string, options: Options) =>
    set(name, options, context),
  )
}

async function set(name: string, options: Options, context: CommandContext): Promise<void> {
  const change = toChange(options)
  if (Object.keys(change).length === 0) {
    const message = "nothing to set: name at least one setting; `safelight accounts set --help`"
    throw refused(message)
  }
  if (options.stop === true && options.suspend !== true) {
    throw refused("--stop goes with --suspend: else new tasks take the place of those that end")
  }
  const { withData } = await import("../open-data.ts")
  const { describeAccount } = await import("./account-record.ts")
  const { changeAccount } = await import("../operator/change-account.ts")
  const configuration = await loadDataConfiguration(options, context)
  const text = await withData({ configuration, mayCreate: true }, async (storage, record) => {
    const { defaults } = configuration.accounts
    // A mistyped name makes an account that nobody uses.
    const onNew = (): void => context.printError(`account "${name}" is new\n`)
    const changing = { storage, id: name, now: Date.now(), defaults, onNew }
    const account = await changeAccount(changing, change)
    if (options.stop === true) {
      await record({ change: "tasks-stopped", target: name, account: name })
      await stopTasks({ storage, name, context }, configuration)
    }
    return describeAccount(account, { storage, isJson: options.json === true })
  })
  context.print(text)
}

interface Place {
  readonly storage: Storage
  /** The account's name. */
  readonly name: string
  readonly context: CommandContext
}

async function stopTasks(
  { storage, name, context }: Place,
  configuration: ReadConfiguration,
): Promise<void> {
  const { stopAccount } = await import("../stop-account.ts")
  const count = await stopAccount(storage, name, configuration)
  context.printError(`${count} tasks stopped\n`)
}

/** Only the settings that are given. */
function toChange(options: SettingOptions): SettingsChange {
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

function toBounds(options: SettingOptions): SettingsChange {
  const { budgetMicros, runningTasks, unfinishedTasks, weight } = options
  return {
    ...(unfinishedTasks !== undefined && { unfinishedTasks: toLimit(unfinishedTasks) }),
    ...(runningTasks !== undefined && { runningTasks: toLimit(runningTasks) }),
    ...(weight !== undefined && { weight }),
    ...(budgetMicros !== undefined && { budgetMicros: toLimit(budgetMicros) }),
  }
}

/** Commander takes null for a mistake, so the option's value is a word until here. */
function toLimit<Value extends number | Rate>(given: Value | string): Value | null {
  return typeof given === "string" ? null : given
}

function toRates(options: SettingOptions): NonNullable<SettingsChange["rates"]> {
  const { createRate, readRate, contentRate } = options
  return {
    ...(createRate !== undefined && { create: toLimit(createRate) }),
    ...(readRate !== undefined && { read: toLimit(readRate) }),
    ...(contentRate !== undefined && { content: toLimit(contentRate) }),
  }
}
