/**
 * `safelight links rotate`: makes a new key that signs private links from now on. Links of the previous key still
 * open, those of older keys no longer. Only the id of a key is shown, never its secret.
 */
import { CHANGED_WITHOUT_KEY, toUnixSeconds } from "@safelight/core"
import { DATA_OPTIONS, useOperator } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"

export const command = defineCommand({
  name: "links rotate",
  description: "sign private links with a new key; links of the previous key still open",
  options: { json: flag('print {"id","created_at"}'), ...DATA_OPTIONS },
  async run({ options, context }) {
    const { createdAt, id } = await useOperator(
      options,
      context,
      { mayCreate: false },
      ({ links }) => links.rotateLinkKey(CHANGED_WITHOUT_KEY.command),
    )
    const record = { id, created_at: toUnixSeconds(createdAt) }
    printResult(options, context, record, () => `links are signed with key ${id} from now on\n`)
  },
})
