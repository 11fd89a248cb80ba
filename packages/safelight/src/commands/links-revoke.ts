/**
 * `safelight links revoke`: closes every private link of an artifact or of an account. New links can be made at
 * once. A running service refuses the old ones within a second.
 */
import { CHANGED_WITHOUT_KEY } from "@safelight/core"
import type { LinksOf } from "@safelight/operator"
import { refused } from "../errors/command-error.ts"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { option } from "../command-line/parameters.ts"

export const command = defineCommand({
  name: "links revoke",
  description: "close every private link of an artifact or of an account",
  options: {
    task: option("<id>", "task of the artifact"),
    key: option("<key>", "key of the artifact, such as image_1 or video"),
    account: option("<name>", "all links of this account instead"),
    ...DATA_OPTIONS,
  },
  async run({ options, context }) {
    const of = toLinksOf(options)
    const isRevoked = await useOperator(options, context, { mayCreate: false }, ({ links }) =>
      links.revokeLinks(of, CHANGED_WITHOUT_KEY.command),
    )
    if (!isRevoked) throw refused(toUnknown(of))
    context.print(`revoked every link of ${formatLinksOf(of)}\n`)
  },
})

function toLinksOf({
  account,
  key,
  task,
}: {
  readonly account?: string
  readonly key?: string
  readonly task?: string
}): LinksOf {
  const isOfAccount = account !== undefined && key === undefined && task === undefined
  if (isOfAccount) return { kind: "account", account }
  if (account === undefined && key !== undefined && task !== undefined) {
    return { kind: "artifact", task, key }
  }
  throw refused("expected --task and --key together, or --account alone")
}

function toUnknown({ kind }: LinksOf): string {
  if (kind === "account") return "there is no account with this name"
  return "there is no such artifact; `safelight tasks artifacts` shows a task's keys"
}

function formatLinksOf(of: LinksOf): string {
  return of.kind === "account" ? `account "${of.account}"` : `${of.key} of task ${of.task}`
}
