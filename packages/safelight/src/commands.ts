/**
 * The commands by name, in the order of the help. A command's file is loaded only if it is run or described, so that
 * `safelight tasks get` does not load the service.
 */
import type { DefinedCommand } from "./command-line/define-command.ts"

export type LoadCommand = () => Promise<{ readonly command: DefinedCommand }>

export const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  serve: () => import("./commands/serve.ts"),
  ready: () => import("./commands/ready.ts"),
  doctor: () => import("./commands/doctor.ts"),
  models: () => import("./commands/models.ts"),
  "models available": () => import("./commands/models-available.ts"),
  "models add": () => import("./commands/models-add.ts"),
  "models import": () => import("./commands/models-import.ts"),
  "models check": () => import("./commands/models-check.ts"),
  mcp: () => import("./commands/mcp.ts"),
  quote: () => import("./commands/quote.ts"),
  balance: () => import("./commands/balance.ts"),
  usage: () => import("./commands/usage.ts"),
  migrate: () => import("./commands/migrate.ts"),
  rebuild: () => import("./commands/rebuild.ts"),
  export: () => import("./commands/export.ts"),
  import: () => import("./commands/import.ts"),
  stub: () => import("./commands/stub.ts"),
  "accounts set": () => import("./commands/accounts-set.ts"),
  "accounts list": () => import("./commands/accounts-list.ts"),
  "accounts show": () => import("./commands/accounts-show.ts"),
  "keys create": () => import("./commands/keys-create.ts"),
  "keys list": () => import("./commands/keys-list.ts"),
  "keys revoke": () => import("./commands/keys-revoke.ts"),
  "keys rotate": () => import("./commands/keys-rotate.ts"),
  "links create": () => import("./commands/links-create.ts"),
  "links revoke": () => import("./commands/links-revoke.ts"),
  "links rotate": () => import("./commands/links-rotate.ts"),
  "tasks submit": () => import("./commands/tasks-submit.ts"),
  "tasks get": () => import("./commands/tasks-get.ts"),
  "tasks list": () => import("./commands/tasks-list.ts"),
  "tasks artifacts": () => import("./commands/tasks-artifacts.ts"),
  "tasks hold": () => import("./commands/tasks-hold.ts"),
  "tasks cancel": () => import("./commands/tasks-cancel.ts"),
  "tasks erase": () => import("./commands/tasks-erase.ts"),
  "tasks resolve": () => import("./commands/tasks-resolve.ts"),
  "webhooks create": () => import("./commands/webhooks-create.ts"),
  "webhooks list": () => import("./commands/webhooks-list.ts"),
  "webhooks show": () => import("./commands/webhooks-show.ts"),
  "webhooks update": () => import("./commands/webhooks-update.ts"),
  "webhooks delete": () => import("./commands/webhooks-delete.ts"),
  "webhooks rotate": () => import("./commands/webhooks-rotate.ts"),
  "webhooks test": () => import("./commands/webhooks-test.ts"),
  "webhooks deliveries": () => import("./commands/webhooks-deliveries.ts"),
  "webhooks replay": () => import("./commands/webhooks-replay.ts"),
  "channels check": () => import("./commands/channels-check.ts"),
  "channels list": () => import("./commands/channels-list.ts"),
  "channels pause": () => import("./commands/channels-pause.ts"),
  "channels drain": () => import("./commands/channels-drain.ts"),
  "channels resume": () => import("./commands/channels-resume.ts"),
  "audit verify": () => import("./commands/audit-verify.ts"),
  "audit replay": () => import("./commands/audit-replay.ts"),
  "audit artifacts": () => import("./commands/audit-artifacts.ts"),
  "audit task": () => import("./commands/audit-task.ts"),
}

/** What the commands of a group have in common. */
export const GROUPS: Readonly<Record<string, string>> = {
  accounts: "limits and spending of accounts",
  keys: "API keys",
  links: "private links to artifacts",
  tasks: "submit, follow and settle tasks",
  webhooks: "what is told as it happens, and to whom",
  channels: "the backends that make the tasks",
  audit: "check the log, its rows and the artifacts",
}
