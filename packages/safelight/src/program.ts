/** The whole command line, put together; every command has a file of its own in `commands`. */
import { hideSecrets } from "@safelight/core"
import { Command } from "commander"
import { createAccountsListCommand } from "./commands/accounts-list.ts"
import { createAccountsSetCommand } from "./commands/accounts-set.ts"
import { createAccountsShowCommand } from "./commands/accounts-show.ts"
import { createAuditArtifactsCommand } from "./commands/audit-artifacts.ts"
import { createAuditReplayCommand } from "./commands/audit-replay.ts"
import { createAuditTaskCommand } from "./commands/audit-task.ts"
import { createAuditVerifyCommand } from "./commands/audit-verify.ts"
import { createBalanceCommand } from "./commands/balance.ts"
import type { CommandContext } from "./commands/command-context.ts"
import { createChannelsCheckCommand } from "./commands/channels-check.ts"
import { createChannelsDrainCommand } from "./commands/channels-drain.ts"
import { createChannelsListCommand } from "./commands/channels-list.ts"
import {
  createChannelsPauseCommand,
  createChannelsResumeCommand,
} from "./commands/channels-pause.ts"
import { createExportCommand } from "./commands/export.ts"
import { createImportCommand } from "./commands/import.ts"
import { createKeysCreateCommand } from "./commands/keys-create.ts"
import { createKeysListCommand } from "./commands/keys-list.ts"
import { createKeysRevokeCommand } from "./commands/keys-revoke.ts"
import { createKeysRotateCommand } from "./commands/keys-rotate.ts"
import { createLinksCreateCommand } from "./commands/links-create.ts"
import { createLinksRevokeCommand } from "./commands/links-revoke.ts"
import { createLinksRotateCommand } from "./commands/links-rotate.ts"
import { createModelsCommand } from "./commands/models.ts"
import { createPricesCheckCommand } from "./commands/prices-check.ts"
import { createQuoteCommand } from "./commands/quote.ts"
import { createRebuildCommand } from "./commands/rebuild.ts"
import { createServeCommand } from "./commands/serve.ts"
import { createStubCommand } from "./commands/stub.ts"
import { createTasksArtifactsCommand } from "./commands/tasks-artifacts.ts"
import { createTasksHoldCommand } from "./commands/tasks-hold.ts"
import { createTasksCancelCommand } from "./commands/tasks-cancel.ts"
import { createTasksEraseCommand } from "./commands/tasks-erase.ts"
import { createTasksGetCommand } from "./commands/tasks-get.ts"
import { createTasksListCommand } from "./commands/tasks-list.ts"
import { createTasksResolveCommand } from "./commands/tasks-resolve.ts"
import { createTasksSubmitCommand } from "./commands/tasks-submit.ts"
import { createUsageCommand } from "./commands/usage.ts"
import {
  createWebhooksCreateCommand,
  createWebhooksDeleteCommand,
  createWebhooksDeliveriesCommand,
  createWebhooksListCommand,
  createWebhooksReplayCommand,
  createWebhooksRotateCommand,
  createWebhooksShowCommand,
  createWebhooksTestCommand,
  createWebhooksUpdateCommand,
} from "./commands/webhooks.ts"
import { toOneLine } from "./failure-line.ts"
import { hidePasswords } from "./hide-passwords.ts"

export interface ProgramOptions {
  readonly context: CommandContext
  readonly version: string
}

interface Group {
  readonly name: string
  readonly description: string
  readonly commands: readonly ((context: CommandContext) => Command)[]
}

const GROUPS: readonly Group[] = [
  {
    name: "accounts",
    description: "limits and spending of accounts",
    commands: [createAccountsSetCommand, createAccountsListCommand, createAccountsShowCommand],
  },
  {
    name: "keys",
    description: "API keys",
    commands: [
      createKeysCreateCommand,
      createKeysListCommand,
      createKeysRevokeCommand,
      createKeysRotateCommand,
    ],
  },
  {
    name: "links",
    description: "private links to artifacts",
    commands: [createLinksCreateCommand, createLinksRevokeCommand, createLinksRotateCommand],
  },
  {
    name: "tasks",
    description: "submit, follow and settle tasks",
    commands: [
      createTasksSubmitCommand,
      createTasksGetCommand,
      createTasksListCommand,
      createTasksArtifactsCommand,
      createTasksHoldCommand,
      createTasksCancelCommand,
      createTasksEraseCommand,
      createTasksResolveCommand,
    ],
  },
  {
    name: "webhooks",
    description: "what is told as it happens, and to whom",
    commands: [
      createWebhooksCreateCommand,
      createWebhooksListCommand,
      createWebhooksShowCommand,
      createWebhooksUpdateCommand,
      createWebhooksDeleteCommand,
      createWebhooksRotateCommand,
      createWebhooksTestCommand,
      createWebhooksDeliveriesCommand,
      createWebhooksReplayCommand,
    ],
  },
  {
    name: "channels",
    description: "the backends that make the tasks",
    commands: [
      createChannelsCheckCommand,
      createChannelsListCommand,
      createChannelsPauseCommand,
      createChannelsDrainCommand,
      createChannelsResumeCommand,
    ],
  },
  {
    name: "prices",
    description: "the price tables of a configuration",
    commands: [createPricesCheckCommand],
  },
  {
    name: "audit",
    description: "check the log, its rows and the artifacts",
    commands: [
      createAuditVerifyCommand,
      createAuditReplayCommand,
      createAuditArtifactsCommand,
      createAuditTaskCommand,
    ],
  },
]

/** The program. On wrong usage it prints one line and throws commander's error. */
export function createProgram({ context, version }: ProgramOptions): Command {
  const program = new Command("safelight")
    .description("images and video, made asynchronously behind one task API")
    .version(version)
    .addCommand(createServeCommand(context))
    .addCommand(createModelsCommand(context))
    .addCommand(createQuoteCommand(context))
    .addCommand(createBalanceCommand(context))
    .addCommand(createUsageCommand(context))
    .addCommand(createRebuildCommand(context))
    .addCommand(createExportCommand(context))
    .addCommand(createImportCommand(context))
    .addCommand(createStubCommand(context))
  for (const { name, description, commands } of GROUPS) {
    const group = program.command(name).description(description)
    for (const create of commands) group.addCommand(create(context))
  }
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => context.print(text),
      writeErr: (text) => context.printError(text),
      outputError: writeOneLine,
    })
  }
  return program
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

function writeOneLine(text: string, write: (text: string) => void): void {
  const line = toOneLine(text.replace(/^error: /, ""))
  write(`safelight: ${hidePasswords(hideSecrets(line))}\n`)
}
