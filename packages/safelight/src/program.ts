/** The whole command line, put together; every command has a file of its own in `commands`. */
import { Command } from "commander"
import { createAuditReplayCommand } from "./commands/audit-replay.ts"
import { createAuditVerifyCommand } from "./commands/audit-verify.ts"
import type { CommandContext } from "./commands/command-context.ts"
import { createKeysCreateCommand } from "./commands/keys-create.ts"
import { createKeysListCommand } from "./commands/keys-list.ts"
import { createKeysRevokeCommand } from "./commands/keys-revoke.ts"
import { createServeCommand } from "./commands/serve.ts"
import { createTasksArtifactsCommand } from "./commands/tasks-artifacts.ts"
import { createTasksEraseCommand } from "./commands/tasks-erase.ts"
import { createTasksGetCommand } from "./commands/tasks-get.ts"
import { createTasksListCommand } from "./commands/tasks-list.ts"
import { createTasksSubmitCommand } from "./commands/tasks-submit.ts"
import { toOneLine } from "./failure-line.ts"

export interface ProgramOptions {
  readonly context: CommandContext
  readonly version: string
}

/** Wrong usage throws commander's error, having printed one line. */
export function createProgram({ context, version }: ProgramOptions): Command {
  const program = new Command("safelight")
    .description("images and video, made asynchronously behind one task API")
    .version(version)
    .addCommand(createServeCommand(context))
  program
    .command("keys")
    .description("API keys")
    .addCommand(createKeysCreateCommand(context))
    .addCommand(createKeysListCommand(context))
    .addCommand(createKeysRevokeCommand(context))
  program
    .command("tasks")
    .description("use a running service")
    .addCommand(createTasksSubmitCommand(context))
    .addCommand(createTasksGetCommand(context))
    .addCommand(createTasksListCommand(context))
    .addCommand(createTasksArtifactsCommand(context))
    .addCommand(createTasksEraseCommand(context))
  program
    .command("audit")
    .description("check what was recorded")
    .addCommand(createAuditVerifyCommand(context))
    .addCommand(createAuditReplayCommand(context))
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({ outputError: writeOneLine })
  }
  return program
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

function writeOneLine(text: string, write: (text: string) => void): void {
  write(`safelight: ${toOneLine(text.replace(/^error: /, ""))}\n`)
}
