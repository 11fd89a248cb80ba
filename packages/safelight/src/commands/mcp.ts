/**
 * `safelight mcp`: a service's models as tools for an agent that starts this command and speaks the Model Context
 * Protocol with it. Standard output has messages of the protocol alone; what happened besides is on standard error,
 * without anything that the agent or a person wrote.
 */
import { defineCommand } from "../command-line/define-command.ts"
import { parseCount } from "../command-line/option-values.ts"
import { option } from "../command-line/parameters.ts"
import { SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { refused } from "../errors/command-error.ts"
import { readVersion } from "../service/read-version.ts"

export const command = defineCommand({
  name: "mcp",
  description: "serve the models of a service as tools for an agent (Model Context Protocol)",
  options: {
    maxCostMicros: option(
      "<count>",
      "what all tasks of the session may cost together; the agent is refused more",
      parseCount,
    ),
    ...SERVICE_OPTIONS,
  },
  async run({ options, context }) {
    const client = toClient(options, context)
    const { serveStdio } = await import("@safelight/mcp")
    const stopAsked = context.waitForStop()
    const door = await serveStdio({
      client,
      version: await readVersion(),
      input: context.input,
      output: context.output,
      maxCostMicros: options.maxCostMicros,
      onError: (error) => context.printError(`safelight: ${toKind(error)}\n`),
    })
    await Promise.race([stopAsked, door.ended]).catch((cause: unknown) => {
      throw refused("standard input: a message is longer than the door takes", cause)
    })
    await door.close()
  },
})

/** Its message may quote what was sent. */
function toKind(error: unknown): string {
  const { name = "Error" } = error as Partial<Error>
  return `a message was left out, or its answer failed (${name.slice(0, 50)})`
}
