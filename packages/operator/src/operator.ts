/**
 * What an operator may see and change, put together: over a database alone, as a command has it, and in a service that
 * runs, where there are a process to look at and audits to follow.
 */
import {
  SILENT_LOG,
  type Clock,
  type Log,
  type OperatorChanges,
  type OperatorInsight,
  type OperatorTasks,
  type Storage,
} from "@safelight/core"
import { createAccounts, type Accounts, type AccountsOptions } from "./accounts/accounts.ts"
import { createLinks, type Links } from "./accounts/links.ts"
import { createChangeRecord, type ChangeRecordOptions } from "./changes/record-changes.ts"
import { createChannels, type Channels, type ChannelsOptions } from "./channels/channels.ts"
import { createAudits, type Auditor } from "./service/audits.ts"
import { createSystem, type SystemOptions } from "./service/system.ts"
import { createUsage, type Usage } from "./spending/usage.ts"
import { createTaskList, type TaskListOptions } from "./tasks/list-tasks.ts"
import { createTasks, type Settling, type Tasks } from "./tasks/tasks.ts"

export interface DataOperatorOptions
  extends
    Pick<AccountsOptions, "accountDefaults" | "keys">,
    Pick<ChannelsOptions, "channels">,
    Pick<ChangeRecordOptions, "createId"> {
  readonly storage: Storage
  readonly clock: Clock
  /** Gets a line for each change. */
  readonly log?: Log
  readonly engine: Settling
}

/** Every change is recorded before it is made, with `changedBy`: the id of a key, or a text of `CHANGED_WITHOUT_KEY`. */
export interface DataOperator {
  readonly accounts: Accounts
  readonly channels: Channels
  readonly changes: OperatorChanges
  readonly links: Links
  readonly tasks: Tasks
  readonly usage: Usage
}

export interface OperatorOptions
  extends DataOperatorOptions, Pick<SystemOptions, "readProcess">, Pick<TaskListOptions, "models"> {
  readonly engine: Settling & TaskListOptions["engine"]
  readonly audit: Auditor
}

/** In a service that runs. `createHttpHandler` of `@safelight/http` takes it as `insight`. */
export interface Operator extends Omit<DataOperator, "tasks">, OperatorInsight {
  readonly accounts: Accounts
  readonly channels: Channels
  readonly tasks: Tasks & OperatorTasks
  readonly usage: Usage
  /** Ends the audit that runs. Safe to call twice. */
  stop(): void
}

export function createDataOperator(options: DataOperatorOptions): DataOperator {
  const { storage } = options
  const recording = { ...options, record: createChangeRecord(options) }
  return {
    accounts: createAccounts(recording),
    channels: createChannels(recording),
    changes: { listChanges: (request) => storage.listOperatorChanges(request) },
    links: createLinks(recording),
    tasks: createTasks(recording),
    usage: createUsage(storage),
  }
}

export function createOperator(options: OperatorOptions): Operator {
  const { audit, log = SILENT_LOG } = options
  const operator = createDataOperator(options)
  const audits = createAudits({ audit, log })
  return {
    ...operator,
    tasks: { ...operator.tasks, listTasks: createTaskList(options) },
    system: createSystem(options),
    audits,
    stop: () => audits.stop(),
  }
}
