/** Webhooks as a service has them: messages show tasks as its API does, and go where its configuration allows. */
import { createMessageSender } from "@safelight/fetch-guarded"
import { createTaskText } from "@safelight/http"
import type { Log, Storage } from "@safelight/core"
import type { Engine } from "@safelight/engine"
import { createWebhooks, type Webhooks } from "@safelight/webhooks"
import type { Configuration } from "../configuration/configuration.ts"
import { EACH_NIGHT, type ScheduledRun } from "./schedules.ts"

export interface ServiceWebhooksOptions {
  readonly configuration: Pick<Configuration, "webhooks">
  readonly storage: Storage
  readonly engine: Engine
  readonly publicUrl: () => string
  readonly log: Log
}

/** Throws `invalid-configuration`, naming the setting that is wrong. */
export function createServiceWebhooks(options: ServiceWebhooksOptions): Webhooks {
  const { configuration, engine, storage, log } = options
  const { endpointsPerAccount, ...addresses } = configuration.webhooks
  return createWebhooks({
    storage,
    tasks: engine,
    sender: createMessageSender(addresses),
    toTaskText: createTaskText(options.publicUrl),
    clock: engine.clock,
    log,
    settings: endpointsPerAccount === undefined ? {} : { endpointsPerAccount },
  })
}

export function toWebhookRun({
  webhooks,
  removalClock,
  log,
}: Pick<Engine, "removalClock"> & {
  readonly webhooks: Webhooks
  readonly log: Log
}): ScheduledRun {
  return {
    name: "sweep-webhooks",
    pattern: EACH_NIGHT,
    async run() {
      const removed = await webhooks.sweep(await removalClock.now())
      if (removed > 0) log.info({ removed }, "webhook deliveries removed")
    },
  }
}
