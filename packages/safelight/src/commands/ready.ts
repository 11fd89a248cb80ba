/**
 * `safelight ready`: whether the service of a configuration is ready, for whatever supervises it and has no other
 * program to ask with, such as a container's health check.
 */
import { CONFIG_OPTION } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { SERVE_OPTIONS } from "../command-line/serve-options.ts"
import { CommandError } from "../errors/command-error.ts"
import { EXIT } from "../errors/exit-code.ts"
import type { AddressAnswer } from "../doctor/ask-address.ts"

/** As long as a part may take that `/readyz` asks, and a little more. */
const PATIENCE_MS = 4_000

export const command = defineCommand({
  name: "ready",
  description: "whether the service that runs here is ready; ends with 0 or 1",
  options: { port: SERVE_OPTIONS.port, host: SERVE_OPTIONS.host, config: CONFIG_OPTION },
  async run({ options: flags, context }) {
    const { readConfiguration } = await import("../configuration/load-configuration.ts")
    const { askService } = await import("../doctor/ask-service.ts")
    const { environment, folder } = context
    const place = await readConfiguration({ flags, environment, folder })
    const answer = await askService(place, PATIENCE_MS)
    if (answer.kind === "answered" && answer.service === "ready") return context.print("ready\n")
    const message = `${place.host} port ${place.port} ${toWords(answer)}`
    throw new CommandError({ exitCode: EXIT.failed, message })
  },
})

function toWords(answer: AddressAnswer): string {
  if (answer.kind === "failed") return `does not answer (${answer.code})`
  return answer.service === undefined ? "is no service of ours" : "is not ready"
}
