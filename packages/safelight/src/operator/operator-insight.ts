/**
 * What the operator's API shows of a service, put together: tasks, channels, accounts, usage, the system, audits, and
 * the record of changes. Made
 * in every process that serves the API; without the operator's key nobody reaches it.
 */
import type { ChannelLimits, OperatorChangeStorage, OperatorInsight } from "@safelight/core"
import { sha256, type Route } from "@safelight/engine"
import type { Configuration } from "../configuration/configuration.ts"
import { createEventLoopDelay } from "./event-loop-delay.ts"
import { createOperatorAccounts, type OperatorAccountsOptions } from "./operator-accounts.ts"
import { createOperatorAudits, type OperatorAuditsOptions } from "./operator-audits.ts"
import { createOperatorChannels, type OperatorChannelsOptions } from "./operator-channels.ts"
import { createOperatorSystem, type OperatorSystemOptions } from "./operator-system.ts"
import { createOperatorTasks, type OperatorTasksOptions } from "./operator-tasks.ts"
import { createChangeRecord, type ChangeRecordOptions } from "./record-changes.ts"
import { createOperatorUsage } from "./operator-usage.ts"

export interface ServiceInsight extends OperatorInsight {
  /** Ends the audit that runs. Safe to call twice. */
  stop(): void
}

type Storage = OperatorChannelsOptions["storage"] &
  OperatorSystemOptions["storage"] &
  OperatorAuditsOptions["storage"] &
  OperatorTasksOptions["storage"] &
  OperatorAccountsOptions["storage"] &
  ChangeRecordOptions["storage"] &
  Pick<OperatorChangeStorage, "listOperatorChanges"> &
  Parameters<typeof createOperatorUsage>[0]

export interface OperatorInsightOptions
  extends
    Pick<OperatorSystemOptions, "clock" | "commits" | "serviceVersion" | "startedAt">,
    Pick<OperatorAuditsOptions, "log">,
    Pick<OperatorTasksOptions, "engine">,
    Pick<OperatorChannelsOptions, "environment"> {
  readonly storage: Storage
  readonly configuration: Configuration
  /** The channels of this process. */
  readonly routes: readonly Route[]
}

export function createOperatorInsight(options: OperatorInsightOptions): ServiceInsight {
  const { configuration, routes } = options
  const { models, prices, role } = configuration
  const recording = { ...options, record: createChangeRecord(options) }
  const eventLoop = createEventLoopDelay(options.clock)
  const audits = createOperatorAudits({ ...options, digest: sha256, prices, models })
  return {
    channels: createOperatorChannels({ ...recording, limits: toLimits(routes) }),
    usage: createOperatorUsage(options.storage),
    system: createOperatorSystem({ ...options, role, eventLoop }),
    audits,
    tasks: createOperatorTasks({ ...recording, models: models.map(({ id }) => id) }),
    accounts: createOperatorAccounts({ ...recording, defaults: configuration.accounts.defaults }),
    changes: { listChanges: (request) => options.storage.listOperatorChanges(request) },
    stop() {
      audits.stop()
      eventLoop.stop()
    },
  }
}

function toLimits(routes: readonly Route[]): ReadonlyMap<string, ChannelLimits> {
  return new Map(
    routes.map(({ channel, requestsPerMinute = channel.requestsPerMinute ?? null }) => [
      channel.name,
      { concurrency: channel.concurrency, requestsPerMinute },
    ]),
  )
}
