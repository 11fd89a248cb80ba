/** The operator's functions over data that no service of this process has open, for commands. */
import * as keys from "@safelight/access"
import type { Storage } from "@safelight/core"
import {
  cancelTask,
  createIdentifiers,
  resolveTask,
  systemClock,
  systemRandomness,
} from "@safelight/engine"
import { createDataOperator, type DataOperator } from "@safelight/operator"
import { planChannels, type PlanSurroundings } from "../channels/plan-channels.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { withData, type OpenDataRequest } from "../data/open-data.ts"

export interface OperatorRequest
  extends Omit<OpenDataRequest, "configuration">, Pick<PlanSurroundings, "environment" | "models"> {
  readonly configuration: ReadConfiguration
}

/** Calls `use` with the functions, and closes the data in any case. Rejects as `withData` does. */
export function withOperator<Result>(
  request: OperatorRequest,
  use: (operator: DataOperator) => Promise<Result>,
): Promise<Result> {
  return withData(request, (storage) => use(toOperator(storage, request)))
}

function toOperator(storage: Storage, request: OperatorRequest): DataOperator {
  const { configuration, ...surroundings } = request
  const { accounts, channels, codeFault, engine, retentionMs } = configuration
  const identifiers = createIdentifiers(systemRandomness)
  const ports = { storage, settings: { ...engine, retentionMs } }
  return createDataOperator({
    storage,
    clock: systemClock,
    createId: (at) => identifiers.createTaskId(at),
    keys,
    accountDefaults: accounts.defaults,
    channels: {
      list: () => planChannels({ channels, codeFault, ...surroundings }),
      // A command checks the channels of a configuration without opening any data.
      check: (name) => Promise.reject(new Error(`${name} is not checked here`)),
    },
    engine: {
      cancel: ({ id }) => cancelTask(ports, id),
      resolve: (verdict) => resolveTask(ports, verdict),
    },
  })
}
