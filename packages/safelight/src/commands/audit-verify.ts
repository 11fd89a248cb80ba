/** `safelight audit verify`: whether every event is still what was written. */
import type { Command } from "commander"
import { createAuditCommand } from "./audit-command.ts"
import type { CommandContext } from "./command-context.ts"

export function createAuditVerifyCommand(context: CommandContext): Command {
  return createAuditCommand({
    name: "verify",
    description: "prove every task's chain of hashes",
    whole: "every chain is whole",
    context,
  })
}
