/** The options of every command that talks to a service, and the client they make. */
import { setTimeout } from "node:timers/promises"
import type { Command } from "commander"
import { createServiceConnection } from "../client/service-connection.ts"
import { createTaskClient, type TaskClient } from "../client/task-client.ts"
import { refused } from "../command-error.ts"
import type { CommandContext } from "./command-context.ts"

export interface ServiceOptions {
  readonly url: string
  readonly key?: string
}

export function addServiceOptions(command: Command): Command {
  return command
    .option("--url <url>", "address of the service", "http://127.0.0.1:8080")
    .option(
      "--key <key>",
      "API key; the variable does not show in a list of processes [SAFELIGHT_API_KEY]",
    )
}

export function toClient(options: ServiceOptions, { environment }: CommandContext): TaskClient {
  const key = options.key ?? environment["SAFELIGHT_API_KEY"] ?? ""
  if (key === "") {
    const message = "an API key is needed: set SAFELIGHT_API_KEY or give --key"
    throw refused(message)
  }
  return createTaskClient({
    connection: createServiceConnection({ url: options.url, key }),
    wait: async (durationMs) => setTimeout(durationMs),
    now: () => Date.now(),
  })
}
