/** The operator's functions in a service that runs, made of its configuration and of what this process knows of itself. */
import { memoryUsage, version as nodeVersion } from "node:process"
import * as keys from "@safelight/access"
import { createAudit, describeFinding } from "@safelight/audit"
import type { Clock, Log, Storage } from "@safelight/core"
import {
  createIdentifiers,
  sha256,
  systemRandomness,
  type Engine,
  type Route,
} from "@safelight/engine"
import { createOperator, type Operator, type ProcessFacts } from "@safelight/operator"
import { createConfiguredChannels } from "../channels/configured-channels.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { createEventLoopDelay } from "./event-loop-delay.ts"
import type { RecentCommits } from "./recent-commits.ts"

export interface ServiceOperatorOptions {
  readonly configuration: Configuration
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly engine: Pick<Engine, "cancel" | "listTasks" | "resolve">
  /** The channels of this process. */
  readonly routes: readonly Route[]
  readonly commits: RecentCommits
  readonly serviceVersion: string
  /** When this process started, ms. */
  readonly startedAt: number
}

export function createServiceOperator(options: ServiceOperatorOptions): Operator {
  const { commits, configuration, serviceVersion, startedAt, storage } = options
  const { accounts, models, prices, role } = configuration
  const eventLoop = createEventLoopDelay(options.clock)
  const audit = createAudit({ storage, digest: sha256, prices, models })
  const identifiers = createIdentifiers(systemRandomness)

  function readProcess(): ProcessFacts {
    const { external, heapUsed, rss } = memoryUsage()
    return {
      versions: { service: serviceVersion, node: nodeVersion },
      role,
      startedAt,
      commits: commits.read(),
      eventLoop: eventLoop.read(),
      memory: { residentBytes: rss, heapUsedBytes: heapUsed, externalBytes: external },
    }
  }

  const operator = createOperator({
    ...options,
    keys,
    channels: createConfiguredChannels(options),
    accountDefaults: accounts.defaults,
    models: models.map(({ id }) => id),
    createId: (at) => identifiers.createTaskId(at),
    audit: { examine: (kind) => audit.examine(kind), describe: describeFinding },
    readProcess,
  })
  return {
    ...operator,
    stop() {
      operator.stop()
      eventLoop.stop()
    },
  }
}
