/** `safelight audit replay`: whether the live rows and the charges are what the log makes. */
import type { Command } from "commander"
import { createAuditCommand } from "./audit-command.ts"
import type { CommandContext } from "./command-context.ts"

export function createAuditReplayCommand(context: CommandContext): Command {
  return createAuditCommand({
    name: "replay",
    description: "fold the log and compare it with the live rows and charges",
    whole: "the log makes every row and charge",
    context,
  })
}
