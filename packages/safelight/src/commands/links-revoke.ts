/**
 * `safelight links revoke`: closes every private link of an artifact or of an account. New links can be made at
 * once. A running service refuses the old ones within a second.
 */
import type { LinkScope, Storage } from "@safelight/core"
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { isKnownAccount } from "../operator/view-account.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly account?: string
  readonly key?: string
  readonly task?: string
}

export function createLinksRevokeCommand(context: CommandContext): Command {
  const command = new Command("revoke")
    .description("close every private link of an artifact or of an account")
    .option("--task <id>", "task of the artifact")
    .option("--key <key>", "key of the artifact, such as image_1 or video")
    .option("--account <name>", "all links of this account instead")
  return addDataOptions(command).action((options: Options) => revoke(options, context))
}

async function revoke(options: Options, context: CommandContext): Promise<void> {
  const scope = toScope(options)
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  await withData({ configuration, mayCreate: false }, async (storage) => {
    if (!(await isKnown(scope, storage))) throw refused(toUnknown(scope))
    await storage.raiseLinkEpoch(scope)
  })
  context.print(`revoked every link of ${toWords(scope)}\n`)
}

function toScope({ account, key, task }: Options): LinkScope {
  const isOfAccount = account !== undefined && key === undefined && task === undefined
  if (isOfAccount) return { kind: "account", account, now: Date.now() }
  if (account === undefined && key !== undefined && task !== undefined) {
    return { kind: "artifact", task, key }
  }
  throw refused("expected --task and --key together, or --account alone")
}

/** Whether there is such a task or account. */
async function isKnown(scope: LinkScope, storage: Storage): Promise<boolean> {
  if (scope.kind === "artifact") {
    return (await storage.readArtifacts(scope.task)).some(({ key }) => key === scope.key)
  }
  return isKnownAccount(storage, scope.account)
}

function toUnknown({ kind }: LinkScope): string {
  if (kind === "account") return "there is no account with this name"
  return "there is no such artifact; `safelight tasks artifacts` shows a task's keys"
}

function toWords(scope: LinkScope): string {
  return scope.kind === "account"
    ? `account "${scope.account}"`
    : `${scope.key} of task ${scope.task}`
}
